// SPDX-License-Identifier: Apache-2.0
// What a codec gains in one collective: encode, exchange, decode against the values as they are.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sim/program/lone_groups.hpp"
#include "sim/study/watch.hpp"
#include "sim/times/wire.hpp"

namespace sim::study {

// A collective, and the groups of ranks that run it at once, laid out for collectives_of() it.
struct CollectiveSetup {
  const CollectiveRow* row = nullptr;
  const LoneGroups* groups = nullptr;
};

struct CodecSetup {
  Wire wire;
  int value_bytes = 2;  // of an element before it is encoded
  Calibration calibration;
  Gpu gpu;  // whose kernels are timed
};

struct CodedTimes {
  double plain_s = 0;  // uncompressed
  double encode_s = 0, exchange_s = 0;
  double decode_s = 0;       // the sums and their encoding included
  double encoded_bytes = 0;  // of the whole buffer

  [[nodiscard]] double coded_s() const { return encode_s + exchange_s + decode_s; }
  [[nodiscard]] double speedup() const { return plain_s / coded_s(); }
  [[nodiscard]] bool pays() const { return coded_s() < plain_s; }
};

// Of a buffer of so many bytes, uncompressed. Values are exchanged out of place, as nccl-tests'
// first columns have it; kernels write encoded shares where they are exchanged.
[[nodiscard]] CodedTimes coded_times(const CollectiveSetup& collective, const CodecSetup& codec,
                                     double bytes);
// The collective over so many ranks, and those by which encoded values are exchanged.
[[nodiscard]] Uses collectives_of(const CollectiveRow& row, int ranks, const CodecSetup& codec);
// The source of each kernel's time.
[[nodiscard]] std::vector<std::string> kernel_sources(const CollectiveSetup& collective,
                                                      const CodecSetup& codec);

// From which size on the codec pays, up to the largest one.
struct PaysFrom {
  bool always = false, never = false;
  double bytes = 0;  // to 1 %, of neither
};
// `times` are those of `sizes`, ascending.
[[nodiscard]] PaysFrom pays_from(const CollectiveSetup& collective, const CodecSetup& codec,
                                 std::span<const double> sizes, std::span<const CodedTimes> times,
                                 const Watch& watch = {});

}  // namespace sim::study
