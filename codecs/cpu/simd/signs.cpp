// SPDX-License-Identifier: Apache-2.0
// Signs, and the sums of magnitudes or squares behind their scales, in the order of
// codecs/sums/sums.hpp.
HWY_BEFORE_NAMESPACE();
namespace codecs::cpu::HWY_NAMESPACE {
namespace {

// Element i of 4 sum lanes in the low half, and of the 4 lanes after them in the high half.
Float load_lanes(const float* values) {
  if constexpr (kLanes == 8) {
    const hn::Half<Floats> half;
    return hn::Combine(Floats(), hn::LoadU(half, values + 4 * kSumLane), hn::LoadU(half, values));
  } else {
    return load(values);
  }
}

template <bool kSquares>
HWY_INLINE Float add_term(Float sum, Float value) {
  if constexpr (kSquares) {
    return fused(value, value, sum);
  } else {
    return hn::Add(sum, hn::Abs(value));
  }
}

// The sums of kLanes sum lanes, in the lanes of a vector.
template <bool kSquares>
HWY_INLINE Float sum_lanes(const float* values) {
  Float sum = hn::Zero(Floats());
  for (std::size_t i = 0; i < kSumLane; i += 4) {
    // In each half, a matrix of 4 sum lanes by 4 elements, to be transposed.
    const Float a = load_lanes(values + i), b = load_lanes(values + kSumLane + i);
    const Float c = load_lanes(values + 2 * kSumLane + i),
                d = load_lanes(values + 3 * kSumLane + i);
    const Float ac0 = hn::InterleaveLower(Floats(), a, c),
                ac1 = hn::InterleaveUpper(Floats(), a, c);
    const Float bd0 = hn::InterleaveLower(Floats(), b, d),
                bd1 = hn::InterleaveUpper(Floats(), b, d);
    sum = add_term<kSquares>(sum, hn::InterleaveLower(Floats(), ac0, bd0));
    sum = add_term<kSquares>(sum, hn::InterleaveUpper(Floats(), ac0, bd0));
    sum = add_term<kSquares>(sum, hn::InterleaveLower(Floats(), ac1, bd1));
    sum = add_term<kSquares>(sum, hn::InterleaveUpper(Floats(), ac1, bd1));
  }
  return sum;
}

template <bool kSquares>
float sum_tile(const float* tile) {
  constexpr std::size_t kCount = kSumTile / kSumLane;
  HWY_ALIGN float lanes[kCount];
  for (std::size_t i = 0; i < kCount; i += kLanes) {
    hn::Store(sum_lanes<kSquares>(tile + i * kSumLane), Floats(), lanes + i);
  }
  for (std::size_t left = kCount / 2; left > 0; left /= 2) {
    for (std::size_t i = 0; i < left; ++i) lanes[i] = lanes[2 * i] + lanes[2 * i + 1];
  }
  return lanes[0];
}

// Of whole tiles; what is beyond the end is 0.
float sum_tiles(const Format& format, const float* values, std::size_t padded) {
  float sum = 0;
  for (std::size_t i = 0; i < padded; i += kSumTile) {
    sum += format.scale == Scale::root_mean_square ? sum_tile<true>(values + i)
                                                   : sum_tile<false>(values + i);
  }
  return sum;
}

// A bit for each of 8 values, set if it is below 0.
HWY_INLINE std::uint8_t signs_of(const float* values) {
  std::uint8_t bits[8] = {};
  hn::StoreMaskBits(Floats(), hn::Lt(load(values), hn::Zero(Floats())), bits);
  if constexpr (kLanes == 8) return bits[0];
  std::uint8_t upper[8] = {};
  hn::StoreMaskBits(Floats(), hn::Lt(load(values + kLanes % 8), hn::Zero(Floats())), upper);
  return static_cast<std::uint8_t>(bits[0] | upper[0] << 4);
}

// `values` has whole tiles.
void store_signs(const float* values, std::size_t count, bool none, std::uint8_t* to) {
  const std::size_t bytes = (count + 7) / 8;
  if (none) {
    std::memset(to, 0, bytes);
    return;
  }
  for (std::size_t i = 0; i < bytes; ++i) {
    fetch_next(values + 8 * i);
    to[i] = signs_of(values + 8 * i);
  }
}

// The residual after signs were sent, which are those of `sent`. A NaN as the scale changes nothing.
void keep_signs(const Input& input, float scale, std::size_t first, std::size_t count,
                const float* sent) {
  if (input.residual == nullptr) return;
  const Float plus = constant(scale), minus = hn::Neg(plus), zero = hn::Zero(Floats());
  keep_residual(input, first, count, sent, [&](Float values, std::size_t /*at*/) {
    return hn::IfThenElse(hn::Lt(values, zero), minus, plus);
  });
}

std::uint8_t* signs_at(const SignJob& job, std::size_t element) {
  return reinterpret_cast<std::uint8_t*>(job.wire) + element / 8;
}

float scale_of(const Format& format, float sum, std::size_t count) {
  const float mean = sum / static_cast<float>(count);
  const float scale = format.scale == Scale::root_mean_square ? std::sqrt(mean) : mean;
  return std::isfinite(scale) ? scale : std::bit_cast<float>(kNaNScale);
}

void sign_part(const SignJob& job, float scale, std::size_t first, std::size_t count,
               const float* sent) {
  store_signs(sent, count, std::isnan(scale), signs_at(job, first));
  keep_signs(job.input, scale, first, count, sent);
}

void encode_sign_group(const SignJob& job, std::size_t group) {
  HWY_ALIGN float buffer[kSegment];
  const std::size_t begin = group * job.format.group;
  const std::size_t count = std::min(job.format.group, job.input.elements - begin);
  float sum = 0;
  const float* sent = nullptr;
  for (std::size_t done = 0; done < count; done += kSegment) {
    const std::size_t part = std::min(kSegment, count - done);
    const std::size_t padded = round_up(part, kSumTile);
    sent = sent_part(job.input, begin + done, part, padded, buffer);
    // Tiles are added to the group's sum one by one.
    for (std::size_t i = 0; i < padded; i += kSumTile) {
      sum += sum_tiles(job.format, sent + i, kSumTile);
    }
  }
  const float scale = scale_of(job.format, sum, count);
  std::memcpy(job.wire + job.layout.payload_bytes + group * sizeof scale, &scale, sizeof scale);
  for (std::size_t done = 0; done < count; done += kSegment) {
    const std::size_t part = std::min(kSegment, count - done);
    if (count > kSegment) {
      sent = sent_part(job.input, begin + done, part, round_up(part, kSumTile), buffer);
    }
    sign_part(job, scale, begin + done, part, sent);
  }
}

void encode_signs(const SignJob& job, std::size_t first, std::size_t last) {
  for (std::size_t group = first; group < last; ++group) encode_sign_group(job, group);
}

std::size_t strip_elements(const SignJob& job, std::size_t strip) {
  return std::min(kSumStrip, job.input.elements - strip * kSumStrip);
}

float sum_strip(const SignJob& job, std::size_t strip) {
  HWY_ALIGN float buffer[kSegment];
  const std::size_t count = strip_elements(job, strip), padded = round_up(count, kSumTile);
  return sum_tiles(job.format, sent_part(job.input, strip * kSumStrip, count, padded, buffer),
                   padded);
}

void sign_strip(const SignJob& job, float scale, std::size_t strip) {
  HWY_ALIGN float buffer[kSegment];
  const std::size_t count = strip_elements(job, strip), first = strip * kSumStrip;
  const float* const sent = sent_part(job.input, first, count, round_up(count, kSumTile), buffer);
  sign_part(job, scale, first, count, sent);
}

// kStep elements of one group from `first` on: +scale or -scale by a wire's bits, summed over the
// wires in registers. A wire has scales after its last bit, so that whole words can be read.
HWY_INLINE void sum_step(const GroupSum& job, std::size_t group, std::size_t first, float* sums) {
  const Words words;
  HWY_ALIGN static constexpr std::uint32_t kShift[kMostStep] = {
      31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16,
      15, 14, 13, 12, 11, 10, 9,  8,  7,  6,  5,  4,  3,  2,  1,  0};
  Float a = hn::Zero(Floats()), b = a, c = a, d = a;
  for (std::size_t input = 0; input < job.inputs; ++input) {
    const std::byte* const wire = job.wires + input * job.layout.bytes;
    std::uint32_t bits = 0;
    std::memcpy(&bits, wire + first / 8, kStep / 8);
    float scale = 0;
    std::memcpy(&scale, wire + job.layout.payload_bytes + group * sizeof scale, sizeof scale);
    const Word all = hn::Set(words, bits), plus = bits_of(constant(scale));
    const auto vector = [&](std::size_t i) {
      const Word moved = hn::Shl(all, hn::Load(words, kShift + i * kLanes));
      return hn::BitCast(Floats(), hn::Xor(plus, hn::And(moved, hn::Set(words, 0x80000000u))));
    };
    a = hn::Add(a, vector(0));
    b = hn::Add(b, vector(1));
    c = hn::Add(c, vector(2));
    d = hn::Add(d, vector(3));
  }
  store(a, sums);
  store(b, sums + kLanes);
  store(c, sums + 2 * kLanes);
  store(d, sums + 3 * kLanes);
}

// Elements [first, first + count), first a multiple of kStep, of one group.
void sum_sign_part(const GroupSum& job, std::size_t group, std::size_t first, std::size_t count) {
  HWY_ALIGN float sums[kStep];
  for (std::size_t i = 0; i < count; i += kStep) {
    float* const to = job.sums + first + i;
    if (!job.adds && i + kStep <= count) {
      sum_step(job, group, first + i, to);
      continue;
    }
    sum_step(job, group, first + i, sums);
    if (!job.adds) std::memset(to, 0, (count - i) * sizeof(float));
    add_to(sums, std::min(kStep, count - i), to);
  }
}

// Groups, or segments of the group that is the tensor.
void sum_signs(const GroupSum& job, std::size_t first, std::size_t last) {
  const bool whole = job.format.group == kWholeTensor;
  const std::size_t size = whole ? kSegment : job.format.group;
  for (std::size_t part = first; part < last; ++part) {
    const std::size_t begin = part * size, end = std::min(begin + size, job.elements);
    for (std::size_t at = begin; at < end; at += kSegment) {
      sum_sign_part(job, whole ? 0 : part, at, std::min(kSegment, end - at));
    }
  }
}

}  // namespace
}  // namespace codecs::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
