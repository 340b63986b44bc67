// SPDX-License-Identifier: Apache-2.0
// Means over ranks, computed as in the schemes: each hop's wires are really encoded, decoded, added
// up and encoded again. The error of a mean follows from those of single encodes only if these are
// independent of each other (sim/report/codec_errors.cpp); sparse wires, signs and error feedback
// have to be measured whole, here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codecs/error/all_reduces.hpp"

namespace codecs {

// The ranks of a reduction: this many on each node.
struct RankShape {
  std::size_t gpus = 1;
  std::size_t nodes = 1;

  [[nodiscard]] std::size_t ranks() const { return gpus * nodes; }
};

enum class Hops {
  gather,          // every rank's whole wire to every rank, or summed in flight
  all_to_all,      // a part to every rank, which decodes and adds up
  there_and_back,  // the same, and the sums encoded again for all
  two_level        // all_to_all inside nodes, the sums encoded again and all_to_all between nodes
};

// With one rank per node, or a single node, two levels are one.
[[nodiscard]] constexpr bool encodes_again(Hops hops) {
  return hops == Hops::there_and_back || hops == Hops::two_level;
}

// Whether one encode's errors are independent of its input: it rounds every value, to the nearest
// or at random.
[[nodiscard]] constexpr bool rounds(const Format& format) {
  return format.keep == 0 && format.element != Element::sign && format.scale != Scale::clipped;
}

// With error feedback at every encode.
enum class Carried { nothing, float32, loco };

// A row's name in the table: "two_level/int8_g128_sr/int4_g128_sr", "gather/topk64"; with feedback
// over many steps "gather/topk64/float32". A method's own row has the method's name.
[[nodiscard]] inline std::string reduction_name(Hops hops, std::string_view first,
                                                std::string_view again) {
  constexpr const char* kNames[] = {"gather", "all_to_all", "there_and_back", "two_level"};
  std::string name = std::string(kNames[static_cast<int>(hops)]).append("/").append(first);
  if (encodes_again(hops)) name.append("/").append(again);
  return name;
}
// Of weights that are sent as they are, or as differences: "int4_g32", "difference/int4_g32".
[[nodiscard]] inline std::string weights_name(bool difference, std::string_view codec) {
  return (difference ? "difference/" : "") + std::string(codec);
}
// The ranks of the figures: "8x4". One level ignores nodes: "32".
[[nodiscard]] inline std::string shape_name(bool on_two_levels, const RankShape& shape) {
  return on_two_levels ? std::to_string(shape.gpus) + "x" + std::to_string(shape.nodes)
                       : std::to_string(shape.ranks());
}
// Its inverse; the ranks of one level are nodes of one GPU.
[[nodiscard]] inline RankShape shape_named(const std::string& name) {
  char* end = nullptr;
  const std::size_t first = std::strtoul(name.c_str(), &end, 10);
  if (*end != 'x') return {.gpus = 1, .nodes = first};
  return {.gpus = first, .nodes = std::strtoul(end + 1, nullptr, 10)};
}

[[nodiscard]] inline std::string fed_name(const std::string& reduction, Carried carried) {
  return reduction + (carried == Carried::loco ? "/loco" : "/float32");
}

// Codecs by name; `again` is unused if there is one hop.
struct Reduction {
  Hops hops = Hops::gather;
  std::string_view first;
  std::string_view again = {};
  Carried carried = Carried::nothing;
};
// One step without earlier state. `elements` must divide into multiples of 16 for each rank.
[[nodiscard]] AllReduceStep start_reduction(const Reduction& reduction, const RankShape& shape,
                                            std::size_t elements, std::uint64_t seed);

// A row of the table.
struct MeasuredReduction {
  std::string name;
  bool on_two_levels = false;
  std::function<AllReduceStep(const RankShape&, std::size_t elements, std::uint64_t seed)> start;
};
// One step of every reduction in the shipped schemes, and in their papers' comparisons.
[[nodiscard]] std::vector<MeasuredReduction> measured_reductions();
// The reductions with error feedback.
[[nodiscard]] std::vector<MeasuredReduction> fed_reductions();

}  // namespace codecs
