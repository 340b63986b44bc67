// SPDX-License-Identifier: Apache-2.0
#include "sim/study/coded_collective.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/error.hpp"
#include "sim/engine/simulate.hpp"
#include "sim/program/coded_exchange.hpp"
#include "sim/program/kernels_of.hpp"
#include "sim/study/search/bracket.hpp"
#include "sim/times/host_codecs.hpp"

namespace sim::study {
namespace {

// Of the uncompressed buffer: collectives and the sources of kernels' times are the same for all.
constexpr double kAnySize = 1 << 20;

CodedCollective coded_of(const CollectiveRow& row, int ranks, const CodecSetup& codec,
                         double bytes) {
  return {.collective = row.collective,
          .wire = codec.wire,
          .elements = bytes / codec.value_bytes,
          .ranks = ranks,
          .value_bytes = codec.value_bytes};
}
CodedCollective coded_of(const CollectiveSetup& collective, const CodecSetup& codec, double bytes) {
  return coded_of(*collective.row, collective.groups->ranks(), codec, bytes);
}

double simulated_s(const CollectiveSetup& collective, CollectiveKind kind, double bytes,
                   Buffers buffers) {
  const auto row = std::ranges::find(all_collectives(), kind, &CollectiveRow::collective);
  require(row != all_collectives().end(), "each collective has a row");
  const LoneGroups::Alone alone = collective.groups->run(*row, bytes, buffers);
  return simulate_to_end(alone.collective.schedule, alone.wiring,
                         fmt::format("{}: the {} of {:.0f} B", collective.groups->cluster().name,
                                     row->name, bytes))
      .makespan_s;
}

double launches_s(const Kernel& kernel, const CodecSetup& codec) {
  double sum = 0;
  for (const auto& [use, count] : kernel.launches) {
    sum += count * step_codec_time(codec.calibration, codec.gpu, use).seconds;
  }
  return sum;
}

}  // namespace

// Every rank does the same at the same time, so the parts follow each other everywhere.
CodedTimes coded_times(const CollectiveSetup& collective, const CodecSetup& codec, double bytes) {
  const CodedCollective coded = coded_of(collective, codec, bytes);
  CodedTimes times{
      .plain_s = simulated_s(collective, collective.row->collective, bytes, Buffers::out_of_place),
      .encoded_bytes = coded_bytes(coded)};
  for (const Part& part : coded_exchange(coded).parts) {
    if (const auto* kernel = std::get_if<Kernel>(&part.what)) {
      (kernel->phase == Phase::encode ? times.encode_s : times.decode_s) +=
          launches_s(*kernel, codec);
    } else {
      const auto& transfer = std::get<Transfer>(part.what);
      times.exchange_s +=
          simulated_s(collective, transfer.collective, transfer.bytes, Buffers::in_place);
    }
  }
  return times;
}

Uses collectives_of(const CollectiveRow& row, int ranks, const CodecSetup& codec) {
  Uses uses{row.collective};
  for (const Part& part : coded_exchange(coded_of(row, ranks, codec, kAnySize)).parts) {
    const auto* transfer = std::get_if<Transfer>(&part.what);
    if (transfer != nullptr) uses.push_back(transfer->collective);
  }
  return uses;
}

std::vector<std::string> kernel_sources(const CollectiveSetup& collective,
                                        const CodecSetup& codec) {
  return codec_sources(coded_exchange(coded_of(collective, codec, kAnySize)), codec.calibration,
                       codec.gpu);
}

PaysFrom pays_from(const CollectiveSetup& collective, const CodecSetup& codec,
                   std::span<const double> sizes, std::span<const CodedTimes> times,
                   const Watch& watch) {
  require(!sizes.empty() && sizes.size() == times.size(), "times for each size");
  std::size_t first = times.size();
  while (first > 0 && times[first - 1].pays()) --first;
  if (first == 0) return {.always = true};
  if (first == times.size()) return {.never = true};
  const Range range{.lowest = sizes[first - 1], .highest = sizes[first]};
  watch.expect(most_tries(range));
  const Found found = bracket(
      range, [&](double bytes) { return coded_times(collective, codec, bytes).pays(); },
      watch.step);
  return {.bytes = found.met};
}

}  // namespace sim::study
