// SPDX-License-Identifier: Apache-2.0
// The error of a codec over many steps, with and without error feedback. The error of one step says
// little about it: feedback sends later what a step loses, so the sum of sent values follows the
// sum of the gradients; an unbiased codec's errors cancel in the sum; a biased codec's do not.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "codecs/error/distributions.hpp"
#include "codecs/feedback/feedback.hpp"

namespace codecs {

struct FeedbackRule {
  std::string_view name;
  Feedback feedback = {};
};
// None, then EF-SGD's, then that of the method that sends this format, if it has its own.
[[nodiscard]] std::vector<FeedbackRule> feedback_rules(const Format& format);

// Gradients of consecutive steps, with the distribution's variance: `common` is the part of it that
// they share, their mean.
struct GradientSteps {
  const Distribution* distribution = nullptr;
  double common = 0.5;
  std::size_t elements = 0;
  std::size_t steps = 0;
  std::uint64_t seed = 0;
  // If not 0, the common part is a matrix of this rank with this many rows: the product of two
  // factors drawn from the distribution.
  std::size_t common_rank = 0;
  std::size_t rows = 0;
};
[[nodiscard]] std::vector<std::vector<float>> draw_steps(const GradientSteps& wanted);

// With g the gradient of a step, h the encoder's input (g plus the residual), e the residual after
// it, and Q(h) the decoded values:
struct FeedbackErrors {
  double contraction = 0;  // 1 - |h - Q(h)|^2 / |h|^2, mean over the steps; under 0 errors may grow
  double residual = 0;     // |e| / |g|, root mean square over the last quarter of the steps
  double running_sum = 0;  // |sum of Q(h) - sum of g| / |sum of g|, over all steps
  // False if the residual grew a millionfold: later steps were skipped.
  bool bounded = true;
};
[[nodiscard]] FeedbackErrors feedback_errors(const Codec& codec, const Feedback& feedback,
                                             std::span<const std::vector<float>> gradients,
                                             std::uint64_t seed);

}  // namespace codecs
