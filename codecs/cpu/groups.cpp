// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <mutex>

#include "codecs/cpu/codecs.hpp"
#include "codecs/cpu/threads.hpp"
#include "codecs/element/element.hpp"
#include "codecs/hadamard/hadamard.hpp"
#include "codecs/random/random.hpp"

namespace codecs::cpu {
namespace {

constexpr auto kInfinity = static_cast<std::int32_t>(kInfinityBits);
// Minus infinity in the order of Bounds.
constexpr std::int32_t kLeast = -1 - kInfinity;

float float_of(std::int32_t ordered) {
  return std::bit_cast<float>(ordered ^ ((ordered >> 31) & 0x7FFFFFFF));
}

Grid nonfinite_grid() {
  const auto nan = std::bit_cast<float>(kNaNScale);
  return {.step = nan, .minimum = nan};
}

// A magnitude so small that scale or reciprocal would lose digits is a group of zeros.
Grid proportional_grid(float magnitude, float largest) {
  const float multiply = largest / magnitude;
  if (magnitude < kTinyGroup || multiply > std::numeric_limits<float>::max()) return {};
  return {.step = magnitude / largest, .multiply = multiply};
}

Grid range_grid(const Format& format, const Bounds& bounds) {
  const float low = float_of(bounds.low), range = float_of(bounds.high) - low;
  if (range > std::numeric_limits<float>::max()) return nonfinite_grid();
  Grid grid = proportional_grid(range, static_cast<float>((1 << bits_of(format.element)) - 1));
  grid.minimum = low;
  return grid;
}

std::size_t code_bytes(const Format& format, std::size_t elements) {
  return (elements * static_cast<std::size_t>(bits_of(format.element)) + 7) / 8;
}

// What no group writes.
void clear_padding(const GroupJob& job, std::span<std::byte> wire) {
  const std::size_t codes = code_bytes(job.format, job.layout.coded_elements);
  const std::size_t scales =
      job.layout.scales_offset + job.layout.groups * bytes_of(job.format.scale);
  std::ranges::fill(wire.subspan(codes, job.layout.payload_bytes - codes), std::byte{0});
  std::ranges::fill(wire.subspan(scales), std::byte{0});
}

// Elements [first, last) of segments.
std::size_t element_of(std::size_t segment, std::size_t elements) {
  return std::min(segment * kSegment, elements);
}

std::size_t segments_of(std::size_t elements) { return (elements + kSegment - 1) / kSegment; }

// One group: its scale first, by all threads.
void encode_tensor(const GroupJob& job, const Run& run) {
  const std::size_t elements = job.input.elements;
  Bounds all;
  std::mutex writing;
  in_parts(run.threads, segments_of(elements), [&](std::size_t first, std::size_t last) {
    const std::size_t begin = element_of(first, elements);
    const Bounds own = kernels_of(run).bounds(job, begin, element_of(last, elements) - begin);
    const std::lock_guard lock(writing);
    all = {.low = std::min(all.low, own.low), .high = std::max(all.high, own.high)};
  });
  const Grid grid = grid_of(job.format, all);
  std::byte* const scale = job.wire + job.layout.scales_offset;
  std::memcpy(scale, &grid.step, sizeof grid.step);
  if (job.format.scale == Scale::min_max) {
    std::memcpy(scale + sizeof grid.step, &grid.minimum, sizeof grid.minimum);
  }
  in_parts(run.threads, segments_of(elements), [&](std::size_t first, std::size_t last) {
    const std::size_t begin = element_of(first, elements);
    kernels_of(run).quantise(job, grid, begin, element_of(last, elements) - begin);
  });
}

void sum(const GroupSum& job, const Run& run) {
  require(has_group_kernels(job.format), "the format has no kernels for CPUs");
  if (job.elements == 0) return;
  const bool whole = job.format.group == kWholeTensor;
  const std::size_t parts = whole ? segments_of(job.elements) : job.layout.groups;
  in_parts(run.threads, parts, [&](std::size_t first, std::size_t last) {
    kernels_of(run).sum_groups(job, first, last);
  });
}

Draws draws_of(const RandomKey& key) {
  return {.key = philox_key(key),
          .tensor = key.tensor,
          .rank = key.rank,
          .first_element = key.first_element};
}

void encode(const Format& format, const Input& input, const RandomKey& key,
            std::span<std::byte> wire, const Run& run) {
  require(has_group_kernels(format), "the format has no kernels for CPUs");
  require(wire.size() == encoded_bytes(format, input.elements), "a wire is encoded_bytes() long");
  if (input.elements == 0) return;
  const GroupJob job{.format = format,
                     .layout = group_wire(format, input.elements),
                     .input = input,
                     .draws = draws_of(key),
                     .wire = wire.data()};
  clear_padding(job, wire);
  if (format.group == kWholeTensor) return encode_tensor(job, run);
  in_parts(run.threads, job.layout.groups, [&](std::size_t first, std::size_t last) {
    kernels_of(run).encode_groups(job, first, last);
  });
}

}  // namespace

Grid grid_of(const Format& format, const Bounds& bounds) {
  if (bounds.high >= kInfinity || bounds.low <= kLeast) {
    Grid grid = nonfinite_grid();
    if (format.scale != Scale::min_max) grid.minimum = 0;
    return grid;
  }
  if (format.scale == Scale::min_max) return range_grid(format, bounds);
  const float largest = largest_value(format.element);
  return proportional_grid(float_of(bounds.high),
                           format.scale == Scale::amax_full ? largest + 1 : largest);
}

bool has_group_kernels(const Format& format) {
  const bool integer = format.element == Element::int8 || format.element == Element::int4;
  const bool fp8 = format.element == Element::e4m3 || format.element == Element::e5m2;
  const bool scaled =
      format.scale == Scale::amax ||
      (integer && (format.scale == Scale::amax_full || format.scale == Scale::min_max));
  const bool grouped = format.group == kWholeTensor || (format.group > 0 && format.group % 8 == 0);
  const bool transformed = format.rotation == Rotation::hadamard &&
                           format.block == kHadamardBlock &&
                           (format.group == kWholeTensor || format.group % kHadamardBlock == 0);
  return (integer || fp8) && scaled && grouped && format.keep == 0 &&
         (format.rounding == Rounding::nearest || integer) &&
         (format.rotation == Rotation::none || transformed) && format.layout == &kGroupLayout;
}

void encode_groups(const Format& format, std::span<const float> values, const RandomKey& key,
                   std::span<std::byte> wire, const Run& run) {
  encode(format, input_of(values), key, wire, run);
}

void encode_groups_feedback(const Format& format, const Feedback& feedback,
                            std::span<const float> values, const RandomKey& key,
                            std::span<float> residual, std::span<std::byte> wire, const Run& run) {
  encode(format, input_of(feedback, values, residual), key, wire, run);
}

void decode_groups(const Format& format, std::span<const std::byte> wire, std::span<float> values,
                   const Run& run) {
  decode_reduce_groups(format, wire, 1, values, run);
}

void decode_add_groups(const Format& format, std::span<const std::byte> wire,
                       std::span<float> values, const Run& run) {
  GroupSum job = group_sum(format, wire, 1, values);
  job.adds = true;
  sum(job, run);
}

void decode_reduce_groups(const Format& format, std::span<const std::byte> wires,
                          std::size_t inputs, std::span<float> sums, const Run& run) {
  sum(group_sum(format, wires, inputs, sums), run);
}

void decode_reduce_encode(const Requantise& shape, std::span<const std::byte> wires,
                          const RandomKey& key, std::span<std::byte> wires_out, const Run& run) {
  const Format &from = shape.wire, &to = shape.wire_out;
  require(has_group_kernels(from) && has_group_kernels(to) && to.group <= kSegment,
          "the formats have no kernels for CPUs");
  require(from.group == to.group && from.rotation == to.rotation,
          "both wires have the same group and the same transform");
  require_wires(from, wires, shape.inputs, shape.elements);
  require(shape.wires_out > 0, "at least one output wire");
  const std::size_t part = shape.elements / shape.wires_out;
  require(
      shape.wires_out == 1 || (part * shape.wires_out == shape.elements && part % from.group == 0),
      "each output wire holds whole groups");
  const std::size_t bytes = encoded_bytes(to, part);
  require(wires_out.size() == shape.wires_out * bytes, "as many bytes as the output wires have");
  const GroupSum sum{.format = from,
                     .layout = group_wire(from, shape.elements),
                     .wires = wires.data(),
                     .inputs = shape.inputs,
                     .elements = shape.elements};
  for (std::size_t i = 0; part > 0 && i < shape.wires_out; ++i) {
    const std::span<std::byte> wire = wires_out.subspan(i * bytes, bytes);
    const GroupJob job{
        .format = to, .layout = group_wire(to, part), .draws = draws_of(key), .wire = wire.data()};
    clear_padding(job, wire);
    const std::size_t skipped = i * job.layout.groups;
    in_parts(run.threads, job.layout.groups, [&](std::size_t first, std::size_t last) {
      kernels_of(run).requantise(sum, job, skipped, first, last);
    });
  }
}

}  // namespace codecs::cpu
