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

// A question, and who waits for it.
struct Asked {
  Lane lane = Lane::now;
  std::string question;
};

inline constexpr std::size_t kMostHeader = 8 << 10, kMostBody = 2 << 20;

//   GET /             the page
//   POST /now         the question that is the body, that somebody waits for
//   POST /later       the same after those
//
// Everything else is refused. Also refused: requests for another host (DNS rebinding) and requests from
// other sites' pages (CSRF).
[[nodiscard]] std::variant<Response, Asked> routed(const Request& request, const std::string& page);

// A response to `request`, with the headers that all have.
[[nodiscard]] Response response(const Request& request, http::status status, const char* type,
                                std::string body);
// A problem, before a request is whole: the connection is closed.
[[nodiscard]] Response closing(http::status status, const std::string& text);

}  // namespace apps::serve
