// SPDX-License-Identifier: Apache-2.0
// What a request gets: the page, a refusal, or the reply to a question. No sockets.
#pragma once

#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>
#include <string>
#include <variant>

#include "apps/serve/workers.hpp"

namespace apps::serve {

namespace http = boost::beast::http;
using Request = http::request<http::string_body>;
using Response = http::response<http::string_body>;

// A page may be asked for by its address alone; a question comes from a page of ours.
struct Asked {
  Lane lane = Lane::now;
  std::string question;
};

inline constexpr std::size_t kMostHeader = 8 << 10, kMostBody = 2 << 20;

//   GET /             the page
//   POST /now         the question that is the body, that somebody waits for
//   POST /later       the same after those
//
// Everything else is refused. So is a request for another host than this one, which a name server may have
// been made to take for another, and one that a page of somebody else sends.
[[nodiscard]] std::variant<Response, Asked> routed(const Request& request, const std::string& page);

// A response to `request`, with the headers that all have.
[[nodiscard]] Response response(const Request& request, http::status status, const char* type,
                                std::string body);
// A problem, before a request is whole: the connection is closed.
[[nodiscard]] Response closing(http::status status, const std::string& text);

}  // namespace apps::serve
