// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "codecs/group/group.hpp"
#include "codecs/random/random.hpp"
#include "codecs/random_k/random_k.hpp"

namespace codecs {
namespace {

// What the draws of a wire depend on: its header.
struct DrawKey {
  std::array<std::uint32_t, 2> philox = {};
  std::uint32_t tensor = 0;
  std::uint32_t zero = 0;
  std::uint64_t first_element = 0;
  std::uint64_t zeros = 0;
};
static_assert(sizeof(DrawKey) == kRandomKHeaderBytes);

// Index in the tensor of the first value that stratum `index` draws.
std::size_t drawn(const DrawKey& key, std::size_t stratum, std::size_t index) {
  const std::uint64_t block = (key.first_element + index * stratum) / kElementsPerDraw;
  const auto words = philox({static_cast<std::uint32_t>(block),
                             static_cast<std::uint32_t>(block >> 32), key.tensor, kSharedRank},
                            key.philox);
  return index * stratum + words[0] % (stratum / kDrawElements) * kDrawElements;
}

std::size_t value_offset(std::size_t stratum_index) {
  return kRandomKHeaderBytes + stratum_index * kDrawElements * sizeof(float);
}

}  // namespace

std::size_t stratum_elements(const Format& format) {
  require(format.element == Element::fp32 && format.choice == Choice::random,
          "random elements are float32");
  require(std::has_single_bit(format.group) && std::has_single_bit(format.keep) &&
              format.keep >= kDrawElements && format.keep <= format.group / 2,
          "group and the number that is kept are powers of two, from 8 to half of the group");
  return format.group / (format.keep / kDrawElements);
}

std::size_t random_k_bytes(const Format& format, std::size_t elements) {
  const std::size_t stratum = stratum_elements(format);
  return elements == 0 ? 0 : value_offset((elements + stratum - 1) / stratum);
}

double random_k_bytes_per_element(const Format& format) {
  return static_cast<double>(kDrawElements * sizeof(float)) /
         static_cast<double>(stratum_elements(format));
}

void encode_random_k(const Format& format, std::span<const float> values, const RandomKey& key,
                     std::span<std::byte> wire) {
  require(wire.size() == random_k_bytes(format, values.size()), "a wire is encoded_bytes() long");
  require(key.first_element % kElementsPerDraw == 0, "first_element is a multiple of 16");
  std::ranges::fill(wire, std::byte{0});
  if (values.empty()) return;
  const DrawKey draw{
      .philox = philox_key(key), .tensor = key.tensor, .first_element = key.first_element};
  std::memcpy(wire.data(), &draw, sizeof(DrawKey));
  const std::size_t stratum = stratum_elements(format);
  const float factor = format.rounding == Rounding::stochastic
                           ? static_cast<float>(format.group) / static_cast<float>(format.keep)
                           : 1.0f;
  for (std::size_t index = 0; index * stratum < values.size(); ++index) {
    const std::size_t first = drawn(draw, stratum, index);
    for (std::size_t i = 0; i < kDrawElements && first + i < values.size(); ++i) {
      const float product = factor * values[first + i];
      const float value = std::isnan(product) ? std::bit_cast<float>(kNaNScale) : product;
      std::memcpy(wire.data() + value_offset(index) + i * sizeof(float), &value, sizeof(float));
    }
  }
}

void decode_reduce_random_k(const Format& format, std::span<const std::byte> wires,
                            std::size_t inputs, std::span<float> sums) {
  const std::size_t bytes = random_k_bytes(format, sums.size());
  require(wires.size() == inputs * bytes, "a wire is encoded_bytes() long");
  const std::size_t stratum = stratum_elements(format);
  std::ranges::fill(sums, 0.0f);
  for (std::size_t offset = 0; offset < wires.size(); offset += bytes) {
    const auto wire = wires.subspan(offset, bytes);
    DrawKey draw;
    std::memcpy(&draw, wire.data(), sizeof(DrawKey));
    for (std::size_t index = 0; index * stratum < sums.size(); ++index) {
      const std::size_t first = drawn(draw, stratum, index);
      for (std::size_t i = 0; i < kDrawElements && first + i < sums.size(); ++i) {
        float value = 0;
        std::memcpy(&value, wire.data() + value_offset(index) + i * sizeof(float), sizeof(float));
        sums[first + i] += value;
      }
    }
  }
}

void decode_random_k(const Format& format, std::span<const std::byte> wire,
                     std::span<float> values) {
  decode_reduce_random_k(format, wire, 1, values);
}

namespace {

// An encode reads what it draws alone: from each stratum a sector of memory, of which bfloat16 values fill
// half.
Traffic drawn_traffic(const KernelShape& shape) {
  constexpr double kSectorBytes = 32;
  Traffic traffic = streamed_traffic(shape);
  if (shape.operation == Operation::encode) {
    traffic.read = kSectorBytes / static_cast<double>(stratum_elements(shape.wire));
  }
  return traffic;
}

// Drawn by all ranks alike, and sent as they are: values of the same places meet.
constexpr Layout kDrawnLayout{.bytes = random_k_bytes,
                              .bytes_per_element = random_k_bytes_per_element,
                              .traffic = drawn_traffic,
                              .fuses_feedback = [](const Format&) { return true; },
                              .summable = true};

constexpr Codec row(std::string_view name, std::string_view summary, Rounding rounding) {
  return {.name = name,
          .summary = summary,
          .format = {.element = Element::fp32,
                     .group = 4096,
                     .rounding = rounding,
                     .keep = 64,
                     .choice = Choice::random,
                     .layout = &kDrawnLayout},
          .encode = encode_random_k,
          .decode = decode_random_k};
}

}  // namespace

constexpr Codec random_k64 =
    row("random_k64", "random 64 of 4096, the same on all ranks, scaled up: unbiased",
        Rounding::stochastic);
constexpr Codec random_k64_unscaled = row(
    "random_k64_unscaled", "random 64 of 4096, unscaled, for error feedback", Rounding::nearest);

}  // namespace codecs
