// SPDX-License-Identifier: Apache-2.0
// serve: a page to play with, of this computer alone.
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <optional>
#include <string>
#include <utility>

#include "apps/arguments.hpp"
#include "apps/print.hpp"
#include "apps/report_page/page.hpp"
#include "apps/serve/server.hpp"
#include "sim/base/error.hpp"

namespace apps {
namespace {

namespace po = boost::program_options;

constexpr const char* kServeUsage =
    "usage: gardenhose serve [--port PORT]\n\n"
    "  gardenhose serve                  then open the address that it prints\n\n"
    "Serves a page on which to change model, network, scheme and layout, and to see what the step\n"
    "does. The page works offline, and only on this computer; through a tunnel (ssh -L) on "
    "another.\n"
    "Its address holds all that is chosen, so that a link is a study. Ctrl-C ends it.\n";

// What the page opens with.
Inputs first_inputs() {
  return {{"topology", "dgx_h100_x128"},
          {"model", "llama_2_7b"},
          {"scheme", "sdp4bit"},
          {"baseline", "twin"}};
}

struct ServeOptions {
  int port = 8600, jobs = 1, timeout_s = 60;
};

std::optional<ServeOptions> parse_serve(const Arguments& arguments) {
  ServeOptions o;
  po::options_description flags("Flags");
  auto add = flags.add_options();
  add("port", number_flag("--port", o.port)->default_value("8600"),
      "port on this computer's own address, 127.0.0.1; 0: any that is free");
  add("jobs,j", jobs_flag(o.jobs), kJobsHelp);
  add("timeout", number_flag("--timeout", o.timeout_s)->default_value("60"),
      "seconds after which an answer is given up");
  if (!parse_arguments(arguments, kServeUsage, flags)) return std::nullopt;
  if (o.port < 0 || o.port > 65535) throw sim::InputError("--port: write 0 to 65535");
  if (o.timeout_s < 1 || o.timeout_s > 86400) throw sim::InputError("--timeout: write 1 to 86400");
  return o;
}

}  // namespace

int serve_command(const Arguments& arguments) {
  const auto options = parse_serve(arguments);
  if (!options) return 0;
  const Inputs first = first_inputs();
  const Inputs question{{"as", "run"}, {"inputs", first}, {"more", {{"range", "off"}}}};
  std::string page = serve_page(first);
  // Workers, which are copies of this process, begin with the tables that this reads. From then on it reads
  // no other files.
  static_cast<void>(serve::answer(question.dump(), options->jobs));
  boost::asio::io_context context(1);
  boost::asio::signal_set signals(context, SIGINT, SIGTERM, SIGHUP);
  serve::Workers workers(
      context, {.workers = options->jobs, .longest = std::chrono::seconds(options->timeout_s)});
  const serve::Server server(context, static_cast<unsigned short>(options->port), workers,
                             std::move(page));
  signals.async_wait([&](const auto&, int) { context.stop(); });
  print_text("http://localhost:{}/\n", server.port());
  finish_output();
  print_note("note: open that address in a browser; Ctrl-C ends the page\n");
  context.run();
  return 0;
}

}  // namespace apps
