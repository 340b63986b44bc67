#include <array>
#include <string>

#include "codecs/error/cells.hpp"
#include "codecs/error/distributions.hpp"
#include "codecs/group/group.hpp"

namespace codecs {
namespace {

using Json = nlohmann::ordered_json;
using Cells = std::vector<ErrorCell>;

constexpr Format integers(Element element, std::size_t group, Rounding rounding,
                          Rotation rotation = Rotation::none) {
  return {.element = element,
          .scale = Scale::amax,
          .group = group,
          .rounding = rounding,
          .rotation = rotation};
}
constexpr Format zeropp(std::size_t group) {
  return {.element = Element::int4, .scale = Scale::amax_full, .group = group};
}
constexpr Rounding kNearest = Rounding::nearest;
constexpr Rounding kStochastic = Rounding::stochastic;

// SDP4Bit (arXiv 2410.15526) has two levels of quantisation (8 bits, then 4), with the Hadamard
// transform (HS) or without, and compares with 4 bits on both levels (ULq); ZeRO++ (arXiv
// 2306.10209) has 4 bits on both.
struct Reduction {
  const char* name;
  Format intra, inter;
};
constexpr std::array kReductions{
    Reduction{"TLq", integers(Element::int8, 128, kStochastic),
              integers(Element::int4, 128, kStochastic)},
    Reduction{"TLq-HS", integers(Element::int8, 128, kStochastic, Rotation::hadamard),
              integers(Element::int4, 128, kStochastic, Rotation::hadamard)},
    Reduction{"TLq-HS_nearest", integers(Element::int8, 128, kNearest, Rotation::hadamard),
              integers(Element::int4, 128, kNearest, Rotation::hadamard)},
    Reduction{"ULq", integers(Element::int4, 128, kStochastic),
              integers(Element::int4, 128, kStochastic)},
    Reduction{"ULq-HS", integers(Element::int4, 128, kStochastic, Rotation::hadamard),
              integers(Element::int4, 128, kStochastic, Rotation::hadamard)},
    Reduction{"ZeRO++_g2048", zeropp(2048), zeropp(2048)},
    Reduction{"ZeRO++_g128", zeropp(128), zeropp(128)},
    Reduction{"8/8_g512", integers(Element::int8, 512, kNearest),
              integers(Element::int8, 512, kNearest)},
};

// Of a reduction at the table's size.
Json reduction_figures(const Reduction& reduction, const Gradients& gradients, std::uint64_t seed) {
  const TwoLevel shape = two_level({.gpus_per_node = kGpusPerNode,
                                    .nodes = kNodes,
                                    .intra = reduction.intra,
                                    .inter = reduction.inter},
                                   gradients.mean.size());
  return to_json(reduction_error(shape, gradients, {.seed = seed}));
}

Codec grouped(const Format& format) {
  return {.name = "",
          .summary = "",
          .format = format,
          .encode = encode_groups,
          .decode = decode_groups};
}

Json weight_figures(const WeightExchange& exchange, const AdamTrace& trace) {
  const std::vector<double> errors = weight_errors(trace, exchange);
  return {{"lr_6e-4", {{"relative_l2", errors.at(0)}}},
          {"lr_6e-5", {{"relative_l2", errors.at(1)}}}};
}

}  // namespace

void add_reductions(const ErrorTableSize& size, std::uint64_t seed, Cells& cells) {
  for (const std::string name : {"normal", "student_t3", "outlier"}) {
    for (const double common : {0.0, 0.5}) {
      const Shared<Gradients> gradients([name, common, size, seed] {
        return draw_gradients({&distribution_named(name), common, seed}, kGpusPerNode * kNodes,
                              size.rank_elements);
      });
      for (const Reduction& reduction : kReductions) {
        const auto measure = [reduction, gradients, seed] {
          return reduction_figures(reduction, *gradients, seed);
        };
        cells.push_back(
            {"reductions", reduction.name, common > 0 ? name + "_half_common" : name, measure});
      }
    }
  }
}

// qW sends the weights, qWD their differences: INT4 with a scale for 2048 elements and stochastic
// rounding, where the name says no other.
void add_weights(const ErrorTableSize& size, std::uint64_t seed, Cells& cells) {
  const AdamTrace trace = two_phases(size.trained_weights, seed);
  const auto add = [&](const char* name, const WeightExchange& exchange) {
    cells.push_back(
        {"weights", name, "", [exchange, trace] { return weight_figures(exchange, trace); }});
  };
  const auto weights = [](Element element, std::size_t group, Rounding rounding) {
    return send_weights(grouped(integers(element, group, rounding)));
  };
  const auto differences = [](Element element, std::size_t group, Rounding rounding) {
    return send_differences(integers(element, group, rounding));
  };
  add("bf16", send_weights(codec_named("bf16")));
  add("qW", weights(Element::int4, 2048, kStochastic));
  add("qW_int4_g32_nearest", weights(Element::int4, 32, kNearest));
  add("qW_int8_nearest", weights(Element::int8, 2048, kNearest));
  add("qWD", differences(Element::int4, 2048, kStochastic));
  add("qWD_nearest", differences(Element::int4, 2048, kNearest));
  add("qWD_g128", differences(Element::int4, 128, kStochastic));
  add("qWD_int2_g128", differences(Element::int2, 128, kStochastic));
  add("qWD_int8", differences(Element::int8, 2048, kStochastic));
}

}  // namespace codecs
