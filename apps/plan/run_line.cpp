#include "apps/plan/run_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "apps/job/setup_options.hpp"
#include "apps/sweep/plan.hpp"

namespace apps {
namespace {

Arguments words_of(const std::string& text) {
  std::istringstream stream(text);
  Arguments words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

// What is passed on but for flags that `chosen` has another value of.
void append_passed_on(const PlanOptions& options, const Arguments& chosen, Arguments& line) {
  bool left_out = false;
  for (const std::string& word : options.passed_on) {
    if (word.starts_with("--")) left_out = std::ranges::find(chosen, word) != chosen.end();
    if (!left_out) line.push_back(word);
  }
}

void append_link_speed(const Space& space, const Candidate& candidate, Arguments& line) {
  const std::string& text = space.link_speeds[candidate.offer];
  if (text.empty()) return;
  line.insert(line.end(), {"--set", "network.nic_bandwidth=" + text});
  const auto& cap = space.job(candidate).cluster.fitted.communicator_bandwidth;
  if (!cap) return;
  line.insert(line.end(),
              {"--set", fmt::format("fitted.communicator_bandwidth={:.17g}Bps", cap->base())});
}

}  // namespace

std::string run_line(const PlanOptions& options, const Space& space, const Candidate& candidate) {
  const Layout& layout = space.layouts[candidate.layout];
  Job given = space.given;
  given.cluster = space.job(candidate).cluster;
  const Arguments chosen = words_of(flags_of(given, space.setup(candidate)));
  Arguments line{"gardenhose", "run",
                 "--topology", options.job.topology,
                 "--model",    options.job.model,
                 "--scheme",   space.scheme_names[layout.scheme],
                 "--nodes",    std::to_string(given.cluster.nodes)};
  append_passed_on(options, chosen, line);
  const auto add_degree = [&](const char* flag, int degree) {
    if (degree == 1 || options.given.contains(flag)) return;
    line.insert(line.end(), {std::string("--") + flag, std::to_string(degree)});
  };
  add_degree("tp", layout.parallelism.tensor);
  add_degree("pp", layout.parallelism.pipeline);
  line.insert(line.end(), chosen.begin(), chosen.end());
  append_link_speed(space, candidate, line);
  return shell_text(line);
}

}  // namespace apps
