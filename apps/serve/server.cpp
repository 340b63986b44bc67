// SPDX-License-Identifier: Apache-2.0
#include "apps/serve/server.hpp"

#include <fmt/format.h>
#include <sys/socket.h>

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>
#include <optional>
#include <utility>

#include "apps/serve/routes.hpp"
#include "sim/base/error.hpp"

namespace apps::serve {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using asio::ip::tcp;
using Failure = beast::error_code;

// How a request that cannot be read is refused; nothing where nobody is left to hear it.
std::optional<Response> refused(const Failure& failure) {
  if (failure == http::error::header_limit) {
    return closing(http::status::request_header_fields_too_large, "the header is too large");
  }
  if (failure == http::error::body_limit) {
    return closing(http::status::payload_too_large, "the request is larger than 2 MiB");
  }
  const bool is_of_http = failure.category() == Failure(http::error::bad_method).category();
  const bool has_left =
      failure == http::error::end_of_stream || failure == http::error::partial_message;
  if (is_of_http && !has_left) {
    return closing(http::status::bad_request, "the request is not HTTP");
  }
  return std::nullopt;
}

// One connection: requests one after the other.
class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(tcp::socket socket, Workers& workers, const std::string& page,
          std::shared_ptr<int> connections)
      : stream_(std::move(socket)),
        workers_(workers),
        page_(page),
        connections_(std::move(connections)) {
    ++*connections_;
  }
  ~Session() { --*connections_; }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void read() {
    parser_.emplace();
    parser_->header_limit(kMostHeader);
    parser_->body_limit(kMostBody);
    stream_.expires_after(kPatience);
    http::async_read(
        stream_, buffer_, *parser_,
        [self = shared_from_this()](const Failure& failure, std::size_t) { self->take(failure); });
  }

  void refuse() { write(closing(http::status::service_unavailable, "too many connections")); }

 private:
  void take(const Failure& failure) {
    if (failure) {
      if (auto answer = refused(failure)) write(std::move(*answer));
      return;
    }
    auto route = routed(parser_->get(), page_);
    if (auto* answer = std::get_if<Response>(&route)) return write(std::move(*answer));
    ask(std::move(std::get<Asked>(route)));
  }

  void ask(Asked asked) {
    stream_.expires_never();  // workers have a limit of their own
    number_ = workers_.ask(
        asked.lane, std::move(asked.question), [self = shared_from_this()](const Reply& reply) {
          self->number_.reset();
          self->write(response(self->parser_->get(), static_cast<http::status>(reply.status),
                               "application/json", reply.text));
        });
    watch();
  }

  // A browser that does not want the answer any more closes the connection.
  void watch() {
    stream_.socket().async_wait(
        tcp::socket::wait_read, [self = shared_from_this()](const Failure& failure) {
          if (failure || !self->number_) return;
          char next = 0;
          const auto count =
              recv(self->stream_.socket().native_handle(), &next, 1, MSG_PEEK | MSG_DONTWAIT);
          if (count > 0) return;  // the next request, which waits for its turn
          // One that has only closed its own end counts as gone, too: browsers do not do that.
          self->workers_.cancel(*std::exchange(self->number_, std::nullopt));
        });
  }

  void write(Response answer) {
    Failure ignored;
    stream_.socket().cancel(ignored);
    answer_.emplace(std::move(answer));
    const bool is_head = parser_ && parser_->get().method() == http::verb::head;
    stream_.expires_after(kPatience);
    const auto wrote = [self = shared_from_this()](const Failure& failure, std::size_t) {
      self->next(failure);
    };
    if (!is_head) return http::async_write(stream_, *answer_, wrote);
    serializer_.emplace(*answer_);
    http::async_write_header(stream_, *serializer_, wrote);
  }

  void next(const Failure& failure) {
    if (!failure && answer_->keep_alive()) return read();
    Failure ignored;
    stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
    stream_.expires_after(kGoodbye);
    drain();
  }

  // Closing on what has not been read would take the answer back.
  void drain() {
    buffer_.clear();
    stream_.async_read_some(buffer_.prepare(kMostHeader),
                            [self = shared_from_this()](const Failure& failure, std::size_t) {
                              if (!failure) self->drain();
                            });
  }

  beast::tcp_stream stream_;
  beast::flat_buffer buffer_{kMostHeader + kMostBody};
  std::optional<http::request_parser<http::string_body>> parser_;
  std::optional<Response> answer_;
  std::optional<http::response_serializer<http::string_body>> serializer_;
  std::optional<Workers::Number> number_;  // of a question that waits for its reply
  Workers& workers_;
  const std::string& page_;
  const std::shared_ptr<int> connections_;
};

}  // namespace

Server::Server(asio::io_context& context, unsigned short port, Workers& workers, std::string page)
    : acceptor_(context), pause_(context), workers_(workers), page_(std::move(page)) {
  const tcp::endpoint here(asio::ip::address_v4::loopback(), port);
  Failure failure;
  acceptor_.open(here.protocol());
  acceptor_.set_option(asio::socket_base::reuse_address(true));
  acceptor_.bind(here, failure);
  if (!failure) acceptor_.listen(kMostConnections, failure);
  if (failure) {
    throw sim::InputError(fmt::format("--port: {} cannot be used: {}; name another, or 0 for any",
                                      port, failure.message()));
  }
  accept();
}

void Server::accept() {
  acceptor_.async_accept([this](const Failure& failure, tcp::socket socket) {
    if (failure == asio::error::operation_aborted) return;
    if (failure) return accept_later();
    const bool is_full = *connections_ >= kMostConnections;
    const auto session =
        std::make_shared<Session>(std::move(socket), workers_, page_, connections_);
    is_full ? session->refuse() : session->read();
    accept();
  });
}

// Once the system may have file descriptors again.
void Server::accept_later() {
  pause_.expires_after(std::chrono::milliseconds(100));
  pause_.async_wait([this](const Failure& failure) {
    if (!failure) accept();
  });
}

}  // namespace apps::serve
