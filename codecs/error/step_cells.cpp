// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <string>

#include "codecs/error/all_reduces.hpp"
#include "codecs/error/cells.hpp"
#include "codecs/error/distributions.hpp"
#include "codecs/error/feedback_error.hpp"

namespace codecs {
namespace {

using Json = nlohmann::ordered_json;
using Cells = std::vector<ErrorCell>;
using Steps = std::vector<std::vector<float>>;

// Of the part that is common to all steps and ranks in the column "low_rank".
constexpr std::size_t kCommonRank = 4;

Json to_json(const FeedbackErrors& errors) {
  Json figures{{"contraction", errors.contraction}};
  if (errors.bounded) {
    figures["residual"] = errors.residual;
    figures["running_sum"] = errors.running_sum;
  } else {
    figures["bounded"] = false;
  }
  return figures;
}

bool loses_much(const Codec& codec, std::span<const float> values) {
  const std::vector<float> decoded = encode_and_decode(codec, values, {});
  return compare(values, decoded).relative_l2 > kFeedbackAbove;
}

Json all_reduce_figures(const AllReduce& method, const AllReduceShape& shape,
                        const Steps& gradients, std::uint64_t seed) {
  const double bytes = static_cast<double>(method.wire_bytes(shape));
  Json figures{{"bits_per_element", 8 * bytes / static_cast<double>(shape.elements())}};
  figures.update(to_json(all_reduce_errors(method, shape, gradients, seed)));
  return figures;
}

}  // namespace

Json to_json(const AllReduceErrors& errors) {
  return {{"first_step", errors.first_step},
          {"contraction", errors.contraction},
          {"residual", errors.residual},
          {"running_sum", errors.running_sum}};
}

void add_feedback(const ErrorTableSize& size, std::uint64_t seed, Cells& cells) {
  const Shared<Steps> gradients([size, seed] {
    return draw_steps({.distribution = &distribution_named("normal"),
                       .elements = size.feedback_elements,
                       .steps = size.feedback_steps,
                       .seed = seed});
  });
  const std::vector<float> normal = draw(distribution_named("normal"), 1, 1 << 14);
  for (const Codec* codec : all_codecs()) {
    if (!loses_much(*codec, normal)) continue;
    for (const FeedbackRule& rule : feedback_rules(codec->format)) {
      const auto measure = [codec, rule, gradients, seed] {
        return to_json(feedback_errors(*codec, rule.feedback, *gradients, seed));
      };
      cells.push_back({"feedback", std::string(codec->name), std::string(rule.name), measure});
    }
  }
}

void add_all_reduces(const ErrorTableSize& size, std::uint64_t seed, Cells& cells) {
  const AllReduceShape shape = size.all_reduce;
  for (const std::string column : {"normal", "low_rank"}) {
    const Shared<Steps> gradients([=, steps = size.feedback_steps] {
      return draw_steps({.distribution = &distribution_named("normal"),
                         .elements = shape.elements(),
                         .steps = steps * shape.ranks,
                         .seed = seed,
                         .common_rank = column == "normal" ? 0 : kCommonRank,
                         .rows = shape.rows});
    });
    for (const AllReduce& method : all_reduces()) {
      const auto measure = [&method, shape, gradients, seed] {
        return all_reduce_figures(method, shape, *gradients, seed);
      };
      cells.push_back({"all_reduces", std::string(method.name), column, measure});
    }
  }
}

}  // namespace codecs
