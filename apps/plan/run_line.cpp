// SPDX-License-Identifier: Apache-2.0
#include "apps/plan/run_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <boost/token_functions.hpp>

#include "apps/arguments.hpp"
#include "apps/job/scheme_files.hpp"
#include "apps/job/setup_flags.hpp"
#include "apps/plan/plan_nics.hpp"

namespace apps {
namespace {

// What is passed on but for flags that the layout has another value of, and the layout's.
void append_layout(const PlanOptions& options, const sim::study::Chosen& chosen, Arguments& line) {
  Job step = options.question.job;  // inside a site
  step.inner.reset();
  const sim::Scheme& scheme = options.question.job.inner ? options.question.inner[chosen.inner]
                                                         : step.setups[chosen.scheme].scheme;
  const Arguments words =
      boost::program_options::split_unix(flags_of(step, {scheme, chosen.parallelism}));
  bool left_out = false;
  for (const std::string& word : options.passed_on) {
    if (word.starts_with("--")) left_out = std::ranges::find(words, word) != words.end();
    if (!left_out) line.push_back(word);
  }
  line.insert(line.end(), words.begin(), words.end());
}

void append_nics(const PlanOptions& options, sim::Bandwidth nics, const std::string& text,
                 Arguments& line) {
  for (const std::string& setting : nic_settings(options.question.job.cluster(), nics, text)) {
    line.insert(line.end(), {"--set", setting});
  }
}

void append_cluster(const PlanOptions& options, const sim::study::Chosen& chosen, Arguments& line) {
  line.insert(line.end(), {"--nodes", std::to_string(chosen.nodes)});
  append_layout(options, chosen, line);
  if (!chosen.nic_bandwidth) return;
  append_nics(options, options.question.nic_bandwidths[*chosen.nic_bandwidth],
              options.link_speeds[*chosen.nic_bandwidth], line);
}

void append_sites(const PlanOptions& options, const sim::study::Chosen& chosen, Arguments& line) {
  const std::string& inner = options.inner_schemes[chosen.inner];
  if (inner != "sharded") line.insert(line.end(), {"--inner-scheme", inner});
  append_layout(options, chosen, line);
  for (std::size_t table = 0; table < chosen.counts.size(); ++table) {
    const sim::Site& site = options.question.job.topology.sites[table];
    if (chosen.counts[table] == site.count) continue;
    line.insert(line.end(),
                {"--set", fmt::format("sites.{}.count={}", site.name, chosen.counts[table])});
  }
}

Arguments line_of(const PlanOptions& options, const sim::study::Chosen& chosen) {
  const Job& job = options.question.job;
  std::vector<sim::Scheme> schemes;
  for (const Setup& setup : job.setups) schemes.push_back(setup.scheme);
  Arguments line{"gardenhose", "run",
                 "--topology", options.job.topology,
                 "--model",    options.job.model,
                 "--scheme",   names_as_given(options.job.schemes, schemes)[chosen.scheme]};
  (job.inner ? append_sites : append_cluster)(options, chosen, line);
  return line;
}

}  // namespace

std::string run_line(const PlanOptions& options, const sim::study::Chosen& chosen) {
  return shell_text(line_of(options, chosen));
}

std::vector<std::string> run_lines(const PlanOptions& options,
                                   const sim::study::PlanCompression& compression) {
  const auto line_with_nics = [&](sim::study::Chosen chosen) {
    chosen.nic_bandwidth.reset();
    Arguments line = line_of(options, chosen);
    append_nics(options, compression.nics,
                fmt::format("{:.15g}Gbps", compression.nics.base() * 8 / 1e9), line);
    return line;
  };
  Arguments compressed = line_with_nics(compression.compressed);
  if (compression.compressed.parallelism == compression.plain.parallelism) {
    compressed.insert(compressed.end(), {"--baseline", compression.plain_scheme});
    return {shell_text(compressed)};
  }
  return {shell_text(compressed), shell_text(line_with_nics(compression.plain))};
}

}  // namespace apps
