#include "codecs/error/table.hpp"

#include <array>
#include <nlohmann/json.hpp>
#include <string>

#include "codecs/error/distributions.hpp"
#include "codecs/error/error.hpp"
#include "codecs/group/group.hpp"

namespace codecs {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kGpusPerNode = 8;
constexpr std::size_t kNodes = 4;

Json to_json(const ErrorMetrics& metrics) {
  return {{"relative_l2", metrics.relative_l2},
          {"cosine", metrics.cosine},
          {"max_abs", metrics.max_abs},
          {"bias", metrics.bias}};
}

Json codec_errors(const ErrorTableSize& size) {
  Json table;
  for (const Distribution& distribution : all_distributions()) {
    const std::vector<float> values = draw(distribution, size.seed, size.elements);
    for (const Codec* codec : all_codecs()) {
      const std::vector<float> decoded = encode_and_decode(*codec, values, {.seed = size.seed});
      table[std::string(codec->name)][std::string(distribution.name)] =
          to_json(compare(values, decoded));
    }
  }
  return table;
}

// A reduction by the names of the paper: two levels of quantisation (8 bits, then 4), the same with
// the Hadamard transform, and 4 bits on both levels.
struct Reduction {
  std::string_view name;
  const Codec* intra;
  const Codec* inter;
};
constexpr std::array kReductions{
    Reduction{"TLq", &int8_g128_sr, &int4_g128_sr},
    Reduction{"TLq-HS", &int8_g128_hadamard_sr, &int4_g128_hadamard_sr},
    Reduction{"ULq", &int4_g128_sr, &int4_g128_sr},
};

Json reduction_errors(const ErrorTableSize& size) {
  Json table;
  for (const std::string name : {"normal", "student_t3", "outlier"}) {
    for (const double common : {0.0, 0.5}) {
      const GradientDraw wanted{&distribution_named(name), common, size.seed};
      const Gradients gradients = draw_gradients(wanted, kGpusPerNode * kNodes, size.rank_elements);
      for (const Reduction& reduction : kReductions) {
        const TwoLevel shape = two_level({.gpus_per_node = kGpusPerNode,
                                          .nodes = kNodes,
                                          .intra = reduction.intra->format,
                                          .inter = reduction.inter->format},
                                         size.rank_elements);
        table[std::string(reduction.name)][common > 0 ? name + "_half_common" : name] =
            to_json(reduction_error(shape, gradients, {.seed = size.seed}));
      }
    }
  }
  return table;
}

Json weight_table(const ErrorTableSize& size) {
  const AdamTrace trace{
      .weights = size.trained_weights,
      .phases = {{.steps = 150, .learning_rate = 6e-4}, {.steps = 150, .learning_rate = 6e-5}},
      .seed = size.seed};
  Json table;
  const auto add = [&](const char* name, const WeightExchange& exchange) {
    const std::vector<double> errors = weight_errors(trace, exchange);
    table[name]["lr_6e-4"]["relative_l2"] = errors[0];
    table[name]["lr_6e-5"]["relative_l2"] = errors[1];
  };
  add("bf16", send_weights(codec_named("bf16")));
  add("qW", send_weights(int4_g2048_sr));
  add("qWD", send_differences(int4_g2048_sr));
  return table;
}

}  // namespace

Json error_table(const ErrorTableSize& size) {
  Json table;
  table["provenance"] = {{"source", "CPU references of this repository, synthetic tensors"},
                         {"command", "build/release/gardenhose-codec-error"},
                         {"seed", size.seed},
                         {"elements", size.elements},
                         {"reduction_ranks", kGpusPerNode * kNodes},
                         {"reduction_gpus_per_node", kGpusPerNode},
                         {"reduction_elements_per_rank", size.rank_elements},
                         {"trained_weights", size.trained_weights}};
  table["codecs"] = codec_errors(size);
  table["reductions"] = reduction_errors(size);
  table["weights"] = weight_table(size);
  return table;
}

}  // namespace codecs
