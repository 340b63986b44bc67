// SPDX-License-Identifier: Apache-2.0
#include "apps/sweep/outcome.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <cstring>

namespace apps {
namespace {

constexpr int kWrongInput = 2;
constexpr std::size_t kLongestMessage = 4000;

std::string trimmed(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  if (text.size() > kLongestMessage) text = "..." + text.substr(text.size() - kLongestMessage);
  return text;
}

// The last one: before it, run may show the baseline. Null where it is not run's JSON.
Inputs report_in(const std::string& text) {
  Inputs json = Inputs::parse(text, nullptr, false);
  if (json.is_array() && !json.empty()) json = Inputs(json.back());
  return json.is_object() ? json : Inputs();
}

std::string manner_of(int status) {
  if (!WIFSIGNALED(status)) return fmt::format("exit code {}", WEXITSTATUS(status));
  const int signal = WTERMSIG(status);
  return fmt::format("signal {} ({}){}", signal, strsignal(signal),
                     signal == SIGKILL ? ": the system may have been short of memory" : "");
}

}  // namespace

Finished outcome_of(const Ended& ended) {
  Finished finished{.message = trimmed(ended.err), .wall_s = ended.wall_s};
  const bool exited = WIFEXITED(ended.status);
  if (exited && WEXITSTATUS(ended.status) == kWrongInput) {
    finished.state = "refused";
    return finished;
  }
  if (exited && WEXITSTATUS(ended.status) == 0) finished.report = report_in(ended.out);
  if (!finished.report.is_null()) {
    finished.state = finished.report.value("fits_memory", true) ? "done" : "too_large";
    return finished;
  }
  finished.state = "crashed";
  finished.message =
      manner_of(ended.status) + (finished.message.empty() ? "" : "; ") + finished.message;
  return finished;
}

}  // namespace apps
