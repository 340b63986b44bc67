// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <nlohmann/json.hpp>
#include <string>

#include "codecs/error/cells.hpp"
#include "codecs/error/distributions.hpp"
#include "codecs/error/reductions.hpp"
#include "codecs/group/group.hpp"

namespace codecs {
namespace {

using Json = nlohmann::ordered_json;
using Cells = std::vector<ErrorCell>;

// Gradients of the ranks of a shape, of which `common` is shared.
struct GradientColumn {
  std::string name;
  Shared<Gradients> gradients;
};
struct ReductionShape {
  RankShape ranks;
  std::size_t elements = 0;
  std::vector<GradientColumn> columns = {};

  void add(std::string_view distribution, double common, std::uint64_t seed) {
    const auto make = [*this, distribution, common, seed] {
      return draw_gradients({&distribution_named(distribution), common, seed}, ranks.ranks(),
                            elements);
    };
    const std::string name(distribution);
    columns.push_back({common > 0 ? name + "_half_common" : name, Shared<Gradients>(make)});
  }
  // A recorded tensor is cut into as many gradients as there are ranks.
  void add(const Tensor& tensor) {
    const std::size_t block = 128 * ranks.ranks();  // as 1-bit Adam takes shards
    const std::size_t of_rank = std::min(elements, tensor.values.size() / ranks.ranks());
    const std::size_t part = of_rank / block * block;
    if (part == 0) return;
    const auto make = [tensor, part, count = ranks.ranks()] {
      Gradients gradients;
      for (std::size_t rank = 0; rank < count; ++rank) {
        const auto first = tensor.values.begin() + static_cast<std::ptrdiff_t>(rank * part);
        gradients.of_rank.emplace_back(first, first + static_cast<std::ptrdiff_t>(part));
      }
      gradients.mean = mean_of(gradients.of_rank);
      return gradients;
    };
    columns.push_back({tensor.name, Shared<Gradients>(make)});
  }
};

constexpr std::array<std::string_view, 3> kHeavyAndLight{"normal", "student_t3", "outlier"};

Json reduction_figures(const MeasuredReduction& reduction, const ReductionShape& shape,
                       std::uint64_t seed) {
  Json figures = Json::object();
  for (const GradientColumn& column : shape.columns) {
    const Gradients& gradients = *column.gradients;
    const AllReduceStep exchange = reduction.start(shape.ranks, gradients.mean.size(), seed);
    figures[column.name] = to_json(compare(gradients.mean, exchange(gradients.of_rank, 0)));
  }
  return figures;
}

void add_shape(const ReductionShape& shape, std::uint64_t seed, Cells& cells) {
  for (const MeasuredReduction& reduction : measured_reductions()) {
    const auto measure = [reduction, shape, seed] {
      return reduction_figures(reduction, shape, seed);
    };
    cells.push_back(
        {"reductions", reduction.name, shape_name(reduction.on_two_levels, shape.ranks), measure});
  }
}

Json weight_figures(const WeightExchange& exchange, const AdamTrace& trace) {
  const std::vector<double> errors = weight_errors(trace, exchange);
  return {{"lr_6e-4", {{"relative_l2", errors.at(0)}}},
          {"lr_6e-5", {{"relative_l2", errors.at(1)}}}};
}

}  // namespace

void add_reductions(const ErrorTableSize& size, std::uint64_t seed,
                    std::span<const Tensor> recorded, Cells& cells) {
  ReductionShape shape{{kGpusPerNode, kNodes}, size.rank_elements};
  for (const Distribution& distribution : all_distributions()) {
    shape.add(distribution.name, 0, seed);
  }
  for (const std::string_view name : kHeavyAndLight) shape.add(name, 0.5, seed);
  for (const Tensor& tensor : recorded) shape.add(tensor);
  add_shape(shape, seed, cells);
}

void add_other_shapes(const ErrorTableSize& size, std::uint64_t seed, Cells& cells) {
  for (const RankShape& ranks : {RankShape{2, 2}, RankShape{8, 8}}) {
    ReductionShape shape{ranks, 2 * size.rank_elements};
    for (const std::string_view name : kHeavyAndLight) shape.add(name, 0, seed);
    add_shape(shape, seed, cells);
  }
}

void add_fed_reductions(const ErrorTableSize& size, std::uint64_t seed, Cells& cells) {
  for (const RankShape& ranks : {RankShape{4, 2}, RankShape{2, 2}}) {
    const std::size_t elements = size.feedback_elements * 2;
    const Shared<std::vector<std::vector<float>>> gradients([=, steps = size.feedback_steps] {
      return draw_steps({.distribution = &distribution_named("normal"),
                         .elements = elements,
                         .steps = steps * ranks.ranks(),
                         .seed = seed});
    });
    for (const MeasuredReduction& reduction : fed_reductions()) {
      const auto measure = [=] {
        return to_json(all_reduce_errors(reduction.start(ranks, elements, seed), 0, ranks.ranks(),
                                         *gradients));
      };
      cells.push_back(
          {"fed_reductions", reduction.name, shape_name(reduction.on_two_levels, ranks), measure});
    }
  }
}

void add_weights(const ErrorTableSize& size, std::uint64_t seed, Cells& cells) {
  const AdamTrace trace = two_phases(size.trained_weights, seed);
  const auto add = [&](bool difference, std::string_view codec, const WeightExchange& exchange) {
    cells.push_back({"weights", weights_name(difference, codec), "",
                     [exchange, trace] { return weight_figures(exchange, trace); }});
  };
  const auto weights = [&](std::string_view codec) {
    add(false, codec, send_weights(codec_named(codec)));
  };
  const auto differences = [&](std::string_view codec) {
    add(true, codec, send_differences(codec_named(codec).format));
  };
  weights("bf16");
  weights("int4_g2048_sr");
  weights("int4_g32");
  weights("int8_g2048");
  differences("int4_g2048_sr");
  differences("int4_g2048");
  differences("int4_g128_sr");
  differences("int2_g128_sr");
  differences("int8_g2048_sr");
}

}  // namespace codecs
