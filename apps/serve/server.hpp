// SPDX-License-Identifier: Apache-2.0
// The HTTP server of a page, on this computer's own address. One thread.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <memory>
#include <string>

#include "apps/serve/workers.hpp"

namespace apps::serve {

inline constexpr int kMostConnections = 128;
// For a whole request to come, or an answer to go.
inline constexpr std::chrono::seconds kPatience{20};
// For what still comes on a connection that is being closed.
inline constexpr std::chrono::seconds kGoodbye{1};

class Server {
 public:
  // Listens on 127.0.0.1 from now on, at any free port for 0. Throws InputError at --port. `workers` outlive
  // the server.
  Server(boost::asio::io_context& context, unsigned short port, Workers& workers, std::string page);
  [[nodiscard]] unsigned short port() const { return acceptor_.local_endpoint().port(); }

 private:
  void accept();
  void accept_later();

  boost::asio::ip::tcp::acceptor acceptor_;
  boost::asio::steady_timer pause_;
  Workers& workers_;
  const std::string page_;
  const std::shared_ptr<int> connections_ = std::make_shared<int>(0);
};

}  // namespace apps::serve
