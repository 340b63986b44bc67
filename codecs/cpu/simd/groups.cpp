// SPDX-License-Identifier: Apache-2.0
// Groups: their bounds, grids and codes, segment by segment.
HWY_BEFORE_NAMESPACE();
namespace codecs::cpu::HWY_NAMESPACE {
namespace {

std::size_t coded_part(const Format& format, std::size_t count) {
  return format.rotation == Rotation::none ? count : round_up(count, kHadamardBlock);
}

// Floats as integers of the same order.
Int ordered(Float values) {
  const Int bits = integer_of(values);
  const Int negative = hn::BroadcastSignBit(bits);
  return hn::Xor(bits, hn::And(negative, hn::Set(Ints(), 0x7FFFFFFF)));
}

std::int32_t ordered(float value) {
  const auto bits = std::bit_cast<std::int32_t>(value);
  return bits ^ ((bits >> 31) & 0x7FFFFFFF);
}

Bounds range_of(const float* values, std::size_t count) {
  const Ints ints;
  Bounds bounds;
  Int low0 = hn::Set(ints, bounds.low), high0 = hn::Set(ints, bounds.high);
  Int low1 = low0, high1 = high0;
  std::size_t i = 0;
  for (; i + 2 * kLanes <= count; i += 2 * kLanes) {
    const Int a = ordered(load(values + i)), b = ordered(load(values + i + kLanes));
    low0 = hn::Min(low0, a);
    high0 = hn::Max(high0, a);
    low1 = hn::Min(low1, b);
    high1 = hn::Max(high1, b);
  }
  HWY_ALIGN std::int32_t lows[kLanes], highs[kLanes];
  hn::Store(hn::Min(low0, low1), ints, lows);
  hn::Store(hn::Max(high0, high1), ints, highs);
  bounds = {.low = *std::min_element(lows, lows + kLanes),
            .high = *std::max_element(highs, highs + kLanes)};
  for (; i < count; ++i) {
    bounds.low = std::min(bounds.low, ordered(values[i]));
    bounds.high = std::max(bounds.high, ordered(values[i]));
  }
  return bounds;
}

// The largest magnitude as `high`, and nothing as `low`.
Bounds magnitude_of(const float* values, std::size_t count) {
  const Ints ints;
  const Int mask = hn::Set(ints, 0x7FFFFFFF);
  const auto magnitude = [&](std::size_t at) {
    return hn::And(integer_of(load(values + at)), mask);
  };
  Int a = hn::Zero(ints), b = a, c = a, d = a;
  std::size_t i = 0;
  for (; i + kStep <= count; i += kStep) {
    a = hn::Max(a, magnitude(i));
    b = hn::Max(b, magnitude(i + kLanes));
    c = hn::Max(c, magnitude(i + 2 * kLanes));
    d = hn::Max(d, magnitude(i + 3 * kLanes));
  }
  std::int32_t high = hn::GetLane(hn::MaxOfLanes(ints, hn::Max(hn::Max(a, b), hn::Max(c, d))));
  for (; i < count; ++i) {
    high = std::max(high, static_cast<std::int32_t>(magnitude_bits(values[i])));
  }
  return {.low = 0, .high = high};
}

Bounds bounds_of(const Format& format, const float* values, std::size_t count) {
  return format.scale == Scale::min_max ? range_of(values, count) : magnitude_of(values, count);
}

// What is encoded of elements [first, first + coded) and what is sent, which differ if there is a
// transform.
struct Segment {
  const float* sent = nullptr;
  const float* values = nullptr;
};
struct Buffers {
  HWY_ALIGN float sent[kSegment];
  HWY_ALIGN float values[kSegment];
  HWY_ALIGN std::uint8_t random[kDrawRoom];
};

Segment segment_of(const GroupJob& job, std::size_t first, std::size_t count, Buffers& buffers) {
  const std::size_t coded = coded_part(job.format, count);
  const float* const sent = sent_part(job.input, first, count, coded, buffers.sent);
  if (job.format.rotation == Rotation::none) return {.sent = sent, .values = sent};
  std::memcpy(buffers.values, sent, coded * sizeof(float));
  transform(buffers.values, coded);
  return {.sent = sent, .values = buffers.values};
}

const std::uint8_t* random_of(const GroupJob& job, std::size_t first, std::size_t count,
                              Buffers& buffers) {
  if (job.format.rounding == Rounding::nearest) return buffers.random;
  return draw_part(job.draws, first, count, buffers.random);
}

std::uint8_t* codes_at(const GroupJob& job, std::size_t element) {
  const auto bits = static_cast<std::size_t>(codecs::bits_of(job.format.element));
  return reinterpret_cast<std::uint8_t*>(job.wire) + element * bits / 8;
}

void store_scale(const GroupJob& job, std::size_t group, const Grid& grid) {
  std::byte* const at = job.wire + job.layout.scales_offset + group * bytes_of(job.format.scale);
  std::memcpy(at, &grid.step, sizeof(float));
  if (job.format.scale == Scale::min_max) {
    std::memcpy(at + sizeof(float), &grid.minimum, sizeof(float));
  }
}

// The residual after elements [first, first + count) of one group were encoded.
void keep_part(const GroupJob& job, std::size_t group, std::size_t first, std::size_t count,
               const float* sent) {
  if (job.input.residual == nullptr) return;
  HWY_ALIGN float decoded[kSegment];
  const GroupSum own{.format = job.format, .layout = job.layout, .wires = job.wire};
  decode_part(own, group, first, count, decoded);
  keep_residual(job.input, first, count, sent,
                [&](Float /*sent*/, std::size_t at) { return load(decoded + at); });
}

Bounds bounds(const GroupJob& job, std::size_t first, std::size_t count) {
  Buffers buffers;
  Bounds all;
  for (std::size_t done = 0; done < count; done += kSegment) {
    const std::size_t part = std::min(kSegment, count - done);
    const Segment segment = segment_of(job, first + done, part, buffers);
    const Bounds own = bounds_of(job.format, segment.values, coded_part(job.format, part));
    all = {.low = std::min(all.low, own.low), .high = std::max(all.high, own.high)};
  }
  return all;
}

void quantise_group(const GroupJob& job, const Grid& grid, std::size_t group, std::size_t first,
                    std::size_t count) {
  Buffers buffers;
  for (std::size_t done = 0; done < count; done += kSegment) {
    const std::size_t at = first + done, part = std::min(kSegment, count - done);
    const std::size_t coded = coded_part(job.format, part);
    const Segment segment = segment_of(job, at, part, buffers);
    quantise_groups(job.format, &grid, coded, segment.values, coded,
                    random_of(job, at, coded, buffers), codes_at(job, at));
    keep_part(job, group, at, part, segment.sent);
  }
}

void quantise(const GroupJob& job, const Grid& grid, std::size_t first, std::size_t count) {
  quantise_group(job, grid, 0, first, count);
}

constexpr std::size_t kMostGroups = kSegment / 8;

// Scales and codes of groups from `first` on, which have these values.
void encode_values(const GroupJob& job, std::size_t first, const float* values, std::size_t coded,
                   const std::uint8_t* random) {
  // Step by step over all groups, since a group's own steps wait for each other.
  const std::size_t size = job.format.group;
  Bounds all[kMostGroups];
  Grid grids[kMostGroups];
  for (std::size_t at = 0; at < coded; at += size) {
    all[at / size] = bounds_of(job.format, values + at, std::min(size, coded - at));
  }
  for (std::size_t i = 0; i * size < coded; ++i) {
    grids[i] = grid_of(job.format, all[i]);
    store_scale(job, first + i, grids[i]);
  }
  quantise_groups(job.format, grids, size, values, coded, random, codes_at(job, first * size));
}

// Groups that fit into a segment together.
void encode_few(const GroupJob& job, std::size_t first, std::size_t last, Buffers& buffers) {
  const std::size_t begin = first * job.format.group;
  const std::size_t end = std::min(last * job.format.group, job.input.elements);
  const std::size_t coded = coded_part(job.format, end - begin);
  const Segment segment = segment_of(job, begin, end - begin, buffers);
  const std::uint8_t* const random = random_of(job, begin, coded, buffers);
  const std::size_t size = job.format.group;
  encode_values(job, first, segment.values, coded, random);
  for (std::size_t at = 0; at < coded; at += size) {
    keep_part(job, first + at / size, begin + at, std::min({size, coded - at, end - begin - at}),
              segment.sent + at);
  }
}

void encode_groups(const GroupJob& job, std::size_t first, std::size_t last) {
  const std::size_t size = job.format.group;
  if (size <= kSegment) {
    Buffers buffers;
    const std::size_t few = kSegment / size;
    for (std::size_t group = first; group < last; group += few) {
      encode_few(job, group, std::min(group + few, last), buffers);
    }
    return;
  }
  for (std::size_t group = first; group < last; ++group) {
    const std::size_t begin = group * size;
    const std::size_t count = std::min(size, job.input.elements - begin);
    const Grid grid = grid_of(job.format, bounds(job, begin, count));
    store_scale(job, group, grid);
    quantise_group(job, grid, group, begin, count);
  }
}

void requantise(const GroupSum& from, const GroupJob& to, std::size_t skipped, std::size_t first,
                std::size_t last) {
  Buffers buffers;
  const std::size_t size = to.format.group, few = kSegment / size;
  for (std::size_t group = first; group < last; group += few) {
    const std::size_t end = std::min(std::min(group + few, last) * size, to.layout.coded_elements);
    const std::size_t coded = end - group * size, begin = (skipped + group) * size;
    for (std::size_t at = 0; at < coded; at += size) {
      sum_part(from, skipped + group + at / size, begin + at, std::min(size, coded - at),
               buffers.values + at);
    }
    encode_values(to, group, buffers.values, coded, random_of(to, begin, coded, buffers));
  }
}

}  // namespace
}  // namespace codecs::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
