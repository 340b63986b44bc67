// SPDX-License-Identifier: Apache-2.0
#include "apps/plan/run_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <boost/token_functions.hpp>

#include "apps/arguments.hpp"
#include "apps/job/setup_flags.hpp"
#include "sim/study/setup_options.hpp"

namespace apps {
namespace {

// The command up to how it is laid out.
Arguments begin_of(const PlanOptions& options, const std::string& scheme) {
  return {"gardenhose",      "run",      "--topology", options.job.topology, "--model",
          options.job.model, "--scheme", scheme};
}

// What is passed on but for flags that the layout has another value of, and the layout's.
void append_layout(const PlanOptions& options, const Job& given, const Setup& setup,
                   Arguments& line) {
  const Arguments chosen = boost::program_options::split_unix(flags_of(given, setup));
  bool left_out = false;
  for (const std::string& word : options.passed_on) {
    if (word.starts_with("--")) left_out = std::ranges::find(chosen, word) != chosen.end();
    if (!left_out) line.push_back(word);
  }
  line.insert(line.end(), chosen.begin(), chosen.end());
}

void append_link_speed(const Space& space, const Candidate& candidate, Arguments& line) {
  const std::string& text = space.link_speeds[candidate.offer];
  if (text.empty()) return;
  line.insert(line.end(), {"--set", "network.nic_bandwidth=" + text});
  const auto& cap = space.job(candidate).cluster().fitted.communicator_bandwidth;
  if (!cap) return;
  line.insert(line.end(),
              {"--set", fmt::format("fitted.communicator_bandwidth={:.17g}Bps", cap->base())});
}

}  // namespace

std::string run_line(const PlanOptions& options, const Space& space, const Candidate& candidate) {
  const Layout& layout = space.layouts[candidate.layout];
  Arguments line = begin_of(options, space.scheme_names[layout.scheme]);
  line.insert(line.end(), {"--nodes", std::to_string(space.job(candidate).cluster().nodes)});
  append_layout(options, space.given, space.setup(candidate), line);
  append_link_speed(space, candidate, line);
  return shell_text(line);
}

std::string run_line(const PlanOptions& options, const SiteSpace& space,
                     const SiteCandidate& candidate) {
  const SiteLayout& at = space.layouts[candidate.layout];
  const SiteOffer& offer = space.offers[at.offer];
  Arguments line = begin_of(options, space.scheme_names[candidate.scheme]);
  const std::string& inner = space.inner_names[at.layout.scheme];
  if (inner != "sharded") line.insert(line.end(), {"--inner-scheme", inner});
  append_layout(options, space.tables.front(), space.setup(at), line);
  for (std::size_t table = 0; table < offer.counts.size(); ++table) {
    const sim::Site& site = space.given.topology.sites[table];
    if (offer.counts[table] == site.count) continue;
    line.insert(line.end(),
                {"--set", fmt::format("sites.{}.count={}", site.name, offer.counts[table])});
  }
  return shell_text(line);
}

}  // namespace apps
