// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <vector>

#include "codecs/element/element.hpp"
#include "codecs/element/tables.hpp"
#include "codecs/group/group.hpp"
#include "codecs/group/steps.hpp"
#include "codecs/hadamard/hadamard.hpp"
#include "codecs/random/random.hpp"

namespace codecs {
namespace {

constexpr std::array kGroupElements{Element::int8, Element::int4, Element::int2, Element::e4m3,
                                    Element::e5m2, Element::e2m1, Element::nf4,  Element::dynamic8};

bool is_integer(Element element) {
  return element == Element::int8 || element == Element::int4 || element == Element::int2;
}
bool is_small_float(Element element) {
  return element == Element::e4m3 || element == Element::e5m2 || element == Element::e2m1;
}
bool is_table(Element element) { return element == Element::nf4 || element == Element::dynamic8; }

bool scales(Scale scale, Element element) {
  switch (scale) {
    case Scale::amax:
      return is_integer(element) || is_small_float(element) || is_table(element);
    case Scale::amax_full:
    case Scale::min_max:
    case Scale::norm:
      return is_integer(element);
    case Scale::e8m0_floor:
    case Scale::e8m0_ceil:
    case Scale::e8m0_even:
      return is_small_float(element);
    case Scale::e4m3_tensor:
      return element == Element::e2m1;
    case Scale::reciprocal:
      return element == Element::e4m3 || element == Element::e5m2;
    default:
      return false;
  }
}

void require_group_format(const Format& format) {
  require(scales(format.scale, format.element), "no group codec has this element and this scale");
  require(format.group == kWholeTensor || (format.group > 0 && format.group % 8 == 0),
          "a group is a multiple of 8 elements, or the tensor");
  require(format.rounding == Rounding::nearest || is_integer(format.element) ||
              format.element == Element::e2m1,
          "integers and E2M1 are rounded stochastically, no others");
  require(format.rotation == Rotation::none ||
              (format.rotation == Rotation::hadamard && format.block == kHadamardBlock),
          "group codecs transform blocks of 32, or none");
  require(format.rotation == Rotation::none || format.group == kWholeTensor ||
              format.group % kHadamardBlock == 0,
          "groups hold whole Hadamard blocks");
  require(format.keep == 0, "group codecs keep every element");
}

void require_wire(const Format& format, std::size_t elements, std::size_t bytes) {
  require_group_format(format);
  require(bytes == encoded_bytes(format, elements), "a wire is encoded_bytes() long");
}

// Lowest and highest code of the scales whose integers are not the symmetric ones.
struct Codes {
  int lowest = 0;
  int highest = 0;
};
Codes codes_of(const Format& format) {
  const int levels = 1 << bits_of(format.element);
  if (format.scale == Scale::min_max) return {0, levels - 1};
  if (format.scale == Scale::amax_full) return {-levels / 2, levels / 2 - 1};
  return {1 - levels / 2, levels / 2 - 1};
}

// The code of each element, which `round` gives from its index.
template <typename Round>
Eigen::ArrayXi rounded(const Eigen::ArrayXf& scaled, Round round) {
  Eigen::ArrayXi codes(scaled.size());
  for (Eigen::Index i = 0; i < scaled.size(); ++i) codes[i] = static_cast<int>(round(i));
  return codes;
}

Eigen::ArrayXi integers(const Format& format, const Eigen::ArrayXi& unlimited) {
  const Codes codes = codes_of(format);
  const int mask = (1 << bits_of(format.element)) - 1;
  return unlimited.max(codes.lowest).min(codes.highest).unaryExpr([mask](int code) {
    return code & mask;
  });
}

Eigen::ArrayXi nearest(const Format& format, const Eigen::ArrayXf& scaled) {
  if (is_integer(format.element)) return integers(format, scaled.rint().cast<int>());
  return rounded(scaled, [&](Eigen::Index i) { return nearest_code(format.element, scaled[i]); });
}

Eigen::ArrayXi stochastic(const Format& format, const Eigen::ArrayXf& scaled, const RandomKey& key,
                          std::uint64_t first) {
  RandomBytes random(key);
  const auto byte = [&](Eigen::Index i) {
    return random(key.first_element + first + static_cast<std::uint64_t>(i));
  };
  if (is_integer(format.element)) {
    return integers(format, rounded(scaled, [&](Eigen::Index i) {
                      return stochastic_integer(scaled[i], byte(i));
                    }));
  }
  return rounded(
      scaled, [&](Eigen::Index i) { return stochastic_code(format.element, scaled[i], byte(i)); });
}

// Computed once: groups are short.
std::span<const float> values_by_code(const Format& format) {
  static const std::map<Element, std::vector<float>> kSigned = [] {
    std::map<Element, std::vector<float>> tables;
    for (const Element element : kGroupElements) tables.emplace(element, values_of(element));
    return tables;
  }();
  static const Eigen::ArrayXf kUnsigned = Eigen::ArrayXf::LinSpaced(256, 0, 255);
  if (format.scale == Scale::min_max) return {kUnsigned.data(), 256};
  return kSigned.at(format.element);
}

int code_of_zero(Element element) {
  if (element == Element::nf4) return kNf4Zero;
  return element == Element::dynamic8 ? kDynamic8Zero : 0;
}

}  // namespace

GroupCodes quantise(const Quantiser& quantiser, const Eigen::ArrayXf& values, std::uint64_t first) {
  const Format& format = quantiser.format;
  const GroupGrid grid = group_grid(quantiser, values);
  if (grid.multiply == 0) {
    return {.scale = grid.scale,
            .codes = Eigen::ArrayXi::Constant(values.size(), code_of_zero(format.element))};
  }
  const Eigen::ArrayXf scaled = format.scale == Scale::min_max
                                    ? Eigen::ArrayXf((values - grid.minimum) * grid.multiply)
                                    : Eigen::ArrayXf(values * grid.multiply);
  return {.scale = grid.scale,
          .codes = format.rounding == Rounding::stochastic
                       ? stochastic(format, scaled, quantiser.key, first)
                       : nearest(format, scaled)};
}

Eigen::ArrayXf sum_groups(const Format& format, std::size_t elements, std::size_t index,
                          std::span<const std::byte> wires) {
  const std::size_t bytes = encoded_bytes(format, elements);
  const std::span<const float> values = values_by_code(format);
  Eigen::ArrayXf sum =
      Eigen::ArrayXf::Zero(static_cast<Eigen::Index>(coded_in_group(format, elements, index)));
  for (std::size_t offset = 0; offset < wires.size(); offset += bytes) {
    const GroupCodes group = load_group(format, elements, index, wires.subspan(offset, bytes));
    const float step = step_of(format, group.scale);
    for (Eigen::Index i = 0; i < sum.size(); ++i) {
      const float value = values[static_cast<std::size_t>(group.codes[i])];
      sum[i] = format.scale == Scale::min_max ? sum[i] + std::fma(value, step, group.scale.minimum)
                                              : std::fma(value, step, sum[i]);
    }
  }
  return sum;
}

void encode_groups(const Format& format, std::span<const float> values, const RandomKey& key,
                   std::span<std::byte> wire) {
  require_wire(format, values.size(), wire.size());
  std::ranges::fill(wire, std::byte{0});
  Quantiser quantiser{.format = format, .key = key};
  if (format.scale == Scale::e4m3_tensor) {
    quantiser.tensor_magnitude = tensor_magnitude_bits(format, values);
  }
  const std::size_t groups = group_wire(format, values.size()).groups;
  for (std::size_t index = 0; index < groups; ++index) {
    const GroupCodes group =
        quantise(quantiser, group_values(format, values, index), index * format.group);
    store_group(format, values.size(), index, group, wire);
  }
}

void decode_reduce(const Format& format, std::span<const std::byte> wires, std::size_t inputs,
                   std::span<float> sums) {
  require_wire(format, sums.size(), inputs == 0 ? 0 : wires.size() / inputs);
  const std::size_t groups = group_wire(format, sums.size()).groups;
  for (std::size_t index = 0; index < groups; ++index) {
    Eigen::ArrayXf sum = sum_groups(format, sums.size(), index, wires);
    const auto coded = static_cast<std::size_t>(sum.size());
    if (format.rotation == Rotation::hadamard) inverse_hadamard({sum.data(), coded});
    const std::size_t first = index * format.group;
    std::copy_n(sum.begin(), std::min(coded, sums.size() - first),
                sums.begin() + static_cast<std::ptrdiff_t>(first));
  }
}

void decode_groups(const Format& format, std::span<const std::byte> wire, std::span<float> values) {
  decode_reduce(format, wire, 1, values);
}

}  // namespace codecs
