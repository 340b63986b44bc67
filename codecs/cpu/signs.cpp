// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include "codecs/cpu/codecs.hpp"
#include "codecs/cpu/threads.hpp"
#include "codecs/sign/sign.hpp"
#include "codecs/sums/sums.hpp"

namespace codecs::cpu {
namespace {

float tensor_scale(const SignJob& job, std::span<const float> strips) {
  const float mean = sum_strips(strips) / static_cast<float>(job.input.elements);
  const float scale = job.format.scale == Scale::root_mean_square ? std::sqrt(mean) : mean;
  return std::isfinite(scale) ? scale : std::bit_cast<float>(kNaNScale);
}

void encode_tensor_signs(const SignJob& job, const Run& run) {
  std::vector<float> strips((job.input.elements + kSumStrip - 1) / kSumStrip);
  in_parts(run.threads, strips.size(), [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) strips[i] = kernels_of(run).sum_strip(job, i);
  });
  const float scale = tensor_scale(job, strips);
  std::memcpy(job.wire + job.layout.scales_offset, &scale, sizeof scale);
  in_parts(run.threads, strips.size(), [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) kernels_of(run).sign_strip(job, scale, i);
  });
}

void encode_sign_input(const Format& format, const Input& input, std::span<std::byte> wire,
                       const Run& run) {
  require_sign_format(format);
  require(wire.size() == encoded_bytes(format, input.elements), "a wire is encoded_bytes() long");
  if (input.elements == 0) return;
  const SignJob job{.format = format,
                    .layout = group_wire(format, input.elements),
                    .input = input,
                    .wire = wire.data()};
  const std::size_t codes = (input.elements + 7) / 8;
  std::ranges::fill(wire.subspan(codes, job.layout.payload_bytes - codes), std::byte{0});
  std::ranges::fill(wire.subspan(job.layout.scales_offset + job.layout.groups * sizeof(float)),
                    std::byte{0});
  if (format.group == kWholeTensor) return encode_tensor_signs(job, run);
  in_parts(run.threads, job.layout.groups, [&](std::size_t first, std::size_t last) {
    kernels_of(run).encode_signs(job, first, last);
  });
}

void sum_sign_wires(const GroupSum& job, const Run& run) {
  require_sign_format(job.format);
  if (job.elements == 0) return;
  const bool whole = job.format.group == kWholeTensor;
  const std::size_t parts = whole ? (job.elements + kSegment - 1) / kSegment : job.layout.groups;
  in_parts(run.threads, parts, [&](std::size_t first, std::size_t last) {
    kernels_of(run).sum_signs(job, first, last);
  });
}

}  // namespace

void encode_signs(const Format& format, std::span<const float> values, const RandomKey& /*key*/,
                  std::span<std::byte> wire, const Run& run) {
  encode_sign_input(format, input_of(values), wire, run);
}

void encode_signs_feedback(const Format& format, const Feedback& feedback,
                           std::span<const float> values, const RandomKey& /*key*/,
                           std::span<float> residual, std::span<std::byte> wire, const Run& run) {
  encode_sign_input(format, input_of(feedback, values, residual), wire, run);
}

void decode_signs(const Format& format, std::span<const std::byte> wire, std::span<float> values,
                  const Run& run) {
  decode_reduce_signs(format, wire, 1, values, run);
}

void decode_add_signs(const Format& format, std::span<const std::byte> wire,
                      std::span<float> values, const Run& run) {
  GroupSum job = group_sum(format, wire, 1, values);
  job.adds = true;
  sum_sign_wires(job, run);
}

void decode_reduce_signs(const Format& format, std::span<const std::byte> wires, std::size_t inputs,
                         std::span<float> sums, const Run& run) {
  sum_sign_wires(group_sum(format, wires, inputs, sums), run);
}

}  // namespace codecs::cpu
