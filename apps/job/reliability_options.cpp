// SPDX-License-Identifier: Apache-2.0
#include "apps/job/reliability_options.hpp"

#include <fmt/format.h>

#include "apps/data_files.hpp"
#include "apps/flag.hpp"
#include "apps/flag_values.hpp"
#include "sim/base/error.hpp"

namespace apps {

void add_reliability_flag(boost::program_options::options_description& flags, JobOptions& o) {
  flags.add(flag(
      "reliability", boost::program_options::value(&o.reliability),
      "how often parts fail and how the job recovers: a shipped name, e.g. llama3_h100, or a file. "
      "Adds the goodput, the share of the time whose training is kept, with the best interval "
      "between checkpoints",
      {.values = reliability_names}));
}

boost::program_options::options_description goodput_flags(JobOptions& o) {
  boost::program_options::options_description flags("Goodput");
  add_reliability_flag(flags, o);
  flags.add_options()(
      "tokens", number_flag("--tokens", o.target_tokens, sim::Counting::large),
      "with --reliability, or over sites that come and go: tokens to train on, e.g. "
      "15T; adds days and price, with likely ranges");
  return flags;
}

void check_tokens(double tokens) {
  constexpr double kMost = 1e18;
  if (tokens >= 1 && tokens <= kMost) return;
  throw sim::InputError(fmt::format(
      "--tokens: {:g} is not a number of tokens from 1 to {:g}; write e.g. 15T", tokens, kMost));
}

void check_target(const JobOptions& options, bool given) {
  if (given) check_tokens(options.target_tokens);
}

void read_reliability(const JobOptions& options, const SortedSettings& settings,
                      sim::study::Job& job) {
  if (options.target_tokens > 0) job.target_tokens = options.target_tokens;
  if (options.reliability.empty()) {
    if (settings.reliability.empty()) return;
    throw sim::InputError(
        fmt::format("--set: {} is a key of a reliability file; name one with --reliability, e.g. "
                    "llama3_h100",
                    settings.reliability.front().key));
  }
  if (job.inner) {
    throw sim::InputError(fmt::format(
        "--reliability: applies to one cluster, but {} describes several sites; run one of them",
        options.topology));
  }
  job.reliability = sim::read_reliability(data_file(Kind::reliability, options.reliability),
                                          settings.reliability);
}

void check_what_fails(const sim::study::Job& job) {
  if (job.target_tokens) check_what_fails(job, "--tokens");
}

void check_what_fails(const sim::study::Job& job, const char* flag) {
  if (job.reliability || has_comers(job.topology)) return;
  throw sim::InputError(fmt::format(
      "{}: needs {}", flag,
      job.inner ? "sites that come and go; write sites.NAME.stays in their file"
                : "--reliability, which says how often training fails; add it, e.g. llama3_h100"));
}

}  // namespace apps
