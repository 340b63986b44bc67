// SPDX-License-Identifier: Apache-2.0
#include "apps/serve/routes.hpp"

#include <algorithm>
#include <string_view>

namespace apps::serve {
namespace {

constexpr const char* kHtml = "text/html; charset=utf-8";
constexpr const char* kJson = "application/json";

std::string_view text(boost::beast::string_view view) { return {view.data(), view.size()}; }

std::string_view header(const Request& request, http::field name) { return text(request[name]); }

// "localhost:8080" and the like, with or without a port, through which a tunnel may lead from another.
bool is_this_host(std::string_view host) {
  constexpr std::string_view kNames[] = {"localhost", "127.0.0.1", "[::1]"};
  return std::ranges::any_of(kNames, [&](std::string_view name) {
    if (!host.starts_with(name)) return false;
    const std::string_view rest = host.substr(name.size());
    return rest.empty() || (rest.front() == ':' &&
                            rest.find_first_not_of("0123456789", 1) == std::string_view::npos);
  });
}

bool is_from_here(const Request& request) {
  const std::string_view origin = header(request, http::field::origin);
  return origin.empty() || origin == "http://" + std::string(header(request, http::field::host));
}

Response refusal(const Request& request, http::status status, const char* what) {
  return response(request, status, kJson, problem(what));
}

Response not_allowed(const Request& request, const char* allowed) {
  Response answer = refusal(request, http::status::method_not_allowed, "another method is needed");
  answer.set(http::field::allow, allowed);
  return answer;
}

std::variant<Response, Asked> question(const Request& request, Lane lane) {
  if (request.method() != http::verb::post) return not_allowed(request, "POST");
  // Which no form of another page can send without asking first.
  if (!header(request, http::field::content_type).starts_with(kJson)) {
    return refusal(request, http::status::unsupported_media_type, "send application/json");
  }
  return Asked{lane, request.body()};
}

}  // namespace

Response response(const Request& request, http::status status, const char* type, std::string body) {
  Response answer(status, request.version());
  answer.set(http::field::content_type, type);
  answer.set(http::field::cache_control, "no-store");
  answer.set("X-Content-Type-Options", "nosniff");
  answer.set("Referrer-Policy", "no-referrer");
  answer.set("Cross-Origin-Resource-Policy", "same-origin");
  answer.set("X-Frame-Options", "DENY");
  answer.keep_alive(request.keep_alive());
  answer.body() = std::move(body);
  answer.prepare_payload();
  return answer;
}

Response closing(http::status status, const std::string& text) {
  Request none;
  none.version(11);
  none.keep_alive(false);
  return response(none, status, kJson, problem(text));
}

std::variant<Response, Asked> routed(const Request& request, const std::string& page) {
  const bool has_one_host = request.count(http::field::host) == 1;
  if (!has_one_host || !is_this_host(header(request, http::field::host)) ||
      !is_from_here(request)) {
    return refusal(request, http::status::forbidden,
                   "this page is for its own computer: open it as http://localhost:PORT/");
  }
  const std::string_view path = text(request.target());
  if (path == "/now") return question(request, Lane::now);
  if (path == "/later") return question(request, Lane::later);
  if (path != "/" && !path.starts_with("/?")) {
    return refusal(request, http::status::not_found, "there is nothing at this address");
  }
  if (request.method() == http::verb::get || request.method() == http::verb::head) {
    return response(request, http::status::ok, kHtml, page);
  }
  return not_allowed(request, "GET, HEAD");
}

}  // namespace apps::serve
