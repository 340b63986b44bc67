// SPDX-License-Identifier: Apache-2.0
#include "apps/calibrate/pieces.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "codecs/error/distributions.hpp"

namespace calibrate {
namespace {

using codecs::Bf16;
using codecs::Format;

// Relative, of the Euclidean norm of the difference. One wrong code among 4096 of 8 bits is 5e-4.
constexpr double kSums = 4e-6;
// Values on either side of a rounding boundary move by a whole step.
constexpr double kProducts = 2e-2;

template <typename Value>
auto taken(const std::vector<float>& pattern, const Piece& piece, Value value) {
  std::vector<decltype(value(0.0f, std::size_t{0}))> values(piece.count);
  for (std::size_t i = 0; i < piece.count; ++i) {
    const std::size_t index = (piece.first + i) % kPattern;
    values[i] = value(pattern[index], index);
  }
  return values;
}

}  // namespace

Pattern::Pattern() : values_(codecs::draw(codecs::distribution_named("normal"), 1, kPattern)) {}

std::vector<float> Pattern::input(const Piece& piece) const {
  return taken(values_, piece, [](float value, std::size_t) { return value; });
}

std::vector<Bf16> Pattern::model(const Piece& piece) const {
  return taken(values_, piece, [](float value, std::size_t index) {
    return codecs::to_bf16(value * (1 + static_cast<float>(index % 5) / 256));
  });
}

std::vector<float> Pattern::residual(const Piece& piece) const {
  return taken(values_, piece, [](float value, std::size_t index) {
    return value * (static_cast<float>(index % 7) / 64);
  });
}

codecs::RandomKey key_of(std::uint32_t rank, std::size_t first) {
  return {.seed = 1, .rank = rank, .first_element = first};
}

std::vector<float> as_floats(std::span<const Bf16> values) {
  std::vector<float> floats(values.size());
  std::ranges::transform(values, floats.begin(), codecs::to_float);
  return floats;
}

std::vector<float> round_trip(const codecs::Codec& codec, std::span<const float> values,
                              const codecs::RandomKey& key) {
  std::vector<std::byte> wire(codecs::encoded_bytes(codec.format, values.size()));
  std::vector<float> decoded(values.size());
  codec.encode(codec.format, values, key, wire);
  codec.decode(codec.format, wire, decoded);
  return decoded;
}

std::vector<float> differences(std::span<const Bf16> master, std::span<const Bf16> model) {
  std::vector<float> result(master.size());
  for (std::size_t i = 0; i < result.size(); ++i) {
    const float difference = codecs::to_float(master[i]) - codecs::to_float(model[i]);
    result[i] = codecs::to_float(codecs::to_bf16(difference));
  }
  return result;
}

std::vector<Bf16> added(std::span<const Bf16> model, std::span<const float> decoded) {
  std::vector<Bf16> result(model.size());
  for (std::size_t i = 0; i < result.size(); ++i) {
    const float rounded = codecs::to_float(codecs::to_bf16(decoded[i]));
    result[i] = codecs::to_bf16(rounded + codecs::to_float(model[i]));
  }
  return result;
}

std::size_t piece_elements(const Format& format) {
  constexpr std::size_t kLeast = 4096;  // a tile of 64 x 64, and a multiple of a draw's elements
  const std::size_t group = format.group == codecs::kWholeTensor ? 1 : format.group;
  return std::lcm(std::lcm(kLeast, group), format.block);
}

bool splits(const codecs::Codec& codec) {
  const std::size_t part = piece_elements(codec.format);
  std::vector<float> values = codecs::draw(codecs::distribution_named("normal"), 2, 3 * part);
  // The largest value of the whole is not in the last piece.
  values[0] = 100;
  const std::span<const float> last = std::span(values).last(part);
  const std::vector<float> whole = round_trip(codec, values, key_of(0, 0));
  return std::ranges::equal(round_trip(codec, last, key_of(0, 2 * part)),
                            std::span(whole).last(part));
}

std::vector<Piece> sample(const codecs::Codec& codec, std::size_t elements) {
  const std::size_t part = piece_elements(codec.format);
  if (elements <= std::max(kWhole, 2 * part)) return {{0, elements}};
  if (!splits(codec)) return {};
  const std::size_t last = (elements - 1) / part * part;
  return {{0, part}, {last, elements - last}};
}

bool agree(const Format& format, std::span<const float> expected, std::span<const float> found) {
  if (expected.size() != found.size()) return false;
  double difference = 0, norm = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    difference += std::pow(static_cast<double>(expected[i]) - static_cast<double>(found[i]), 2);
    norm += std::pow(static_cast<double>(expected[i]), 2);
  }
  const double tolerance = format.rotation == codecs::Rotation::dct ? kProducts : kSums;
  return std::sqrt(difference) <= tolerance * std::sqrt(norm);
}

}  // namespace calibrate
