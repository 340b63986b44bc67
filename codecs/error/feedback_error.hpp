// What a codec loses over many steps, with error feedback and without. The error of one step says
// little about it: feedback sends later what a step loses, so that the sum of what was sent follows
// the sum of the gradients; an unbiased codec's errors cancel in the sum; a biased one's do not.
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
// None, then EF-SGD's, then that of the method that sends such a format, where it has another.
[[nodiscard]] std::vector<FeedbackRule> feedback_rules(const Format& format);

// Gradients of consecutive steps, of the distribution's variance: `common` is the part of it that
// they share, their mean.
struct GradientSteps {
  const Distribution* distribution = nullptr;
  double common = 0.5;
  std::size_t elements = 0;
  std::size_t steps = 0;
  std::uint64_t seed = 0;
  // Where it is not 0, the common part is a matrix of this rank, of so many rows: the product of
  // two factors of the distribution.
  std::size_t common_rank = 0;
  std::size_t rows = 0;
};
[[nodiscard]] std::vector<std::vector<float>> draw_steps(const GradientSteps& wanted);

// With g the gradient of a step, h what is encoded (g and the residual), e the residual after it,
// and Q(h) what is decoded:
struct FeedbackErrors {
  double contraction = 0;  // 1 - |h - Q(h)|^2 / |h|^2, mean over the steps; under 0 errors may grow
  double residual = 0;     // |e| / |g|, root mean square over the last quarter of the steps
  double running_sum = 0;  // |sum of Q(h) - sum of g| / |sum of g|, over all steps
  // False where the residual grew a millionfold: steps after it were not taken.
  bool bounded = true;
};
[[nodiscard]] FeedbackErrors feedback_errors(const Codec& codec, const Feedback& feedback,
                                             std::span<const std::vector<float>> gradients,
                                             std::uint64_t seed);

}  // namespace codecs
