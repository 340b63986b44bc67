// SPDX-License-Identifier: Apache-2.0
#include "apps/job/asked_warnings.hpp"

#include <fmt/format.h>

#include "apps/print.hpp"
#include "apps/words.hpp"
#include "sim/program/asked_collectives.hpp"

namespace apps {
namespace {

// Another name would make another site of unlike ones lead, with other lines.
void add_leader(const sim::study::Job& job, const sim::Scheme& scheme,
                std::set<std::string>& lines) {
  const sim::WideArea& area = job.topology;
  const bool lacks_syncer = scheme.between_sites->exchange->has_syncer && !area.syncer;
  if (!lacks_syncer || area.sites.size() < 2) return;
  lines.insert(fmt::format(
      "{}: {}, the first site of {} by name, sums what all sites send, over its own lines; add the "
      "host that does to the file, as [syncer]",
      scheme.name, area.sites.front().name, area.name));
}

}  // namespace

std::set<std::string> asked_warnings(const sim::study::Job& job,
                                     std::span<const sim::study::Setup> setups) {
  std::set<std::string> lines;
  const auto add = [&](const sim::StepContext& context, const sim::Scheme& scheme) {
    for (const std::string& line : asked_outcome(context, scheme).exceptions) {
      lines.insert(fmt::format("{}: {}", scheme.name, with_flags(line)));
    }
  };
  for (const sim::study::Setup& setup : setups) {
    if (job.inner) add_leader(job, setup.scheme, lines);
    if (!job.inner) {
      add(job.context(setup), setup.scheme);
      continue;
    }
    const sim::RoundContext round = job.round(setup);
    for (std::size_t table = 0; table < job.topology.sites.size(); ++table) {
      add(round.step(table), round.inner_at(table));
    }
  }
  return lines;
}

void print_warnings(const std::set<std::string>& lines) {
  for (const std::string& line : lines) print_note("warning: {}\n", line);
}

void warn_of_asked(const sim::study::Job& job, std::span<const sim::study::Setup> setups) {
  print_warnings(asked_warnings(job, setups));
}

}  // namespace apps
