// SPDX-License-Identifier: Apache-2.0
#include "codecs/error/feedback_error.hpp"

#include <cmath>
#include <numeric>

#include "codecs/loco/loco.hpp"

namespace codecs {
namespace {

constexpr Feedback kNone{.carry = 0};
constexpr Feedback kEfSgd{};                     // arXiv 1901.09847
constexpr Feedback kSparseLoco{.carry = 0.95f};  // arXiv 2508.15706, section 3
constexpr Feedback kDemo{.carry = 0.999f};       // arXiv 2411.19870

double square_of_norm(std::span<const float> values) {
  double sum = 0;
  for (const float value : values) sum += static_cast<double>(value) * value;
  return sum;
}

double relative_distance(std::span<const double> exact, std::span<const double> other) {
  double distance = 0, norm = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    distance += std::pow(other[i] - exact[i], 2);
    norm += std::pow(exact[i], 2);
  }
  return std::sqrt(distance / norm);
}

// Of the distribution's variance.
std::vector<float> low_rank(const GradientSteps& wanted, std::uint64_t seed) {
  const std::size_t rank = wanted.common_rank, columns = wanted.elements / wanted.rows;
  const std::vector<float> factors =
      draw(*wanted.distribution, seed, rank * (wanted.rows + columns));
  std::vector<float> matrix(wanted.rows * columns);
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    const float* const left = &factors[rank * (i / columns)];
    const float* const right = &factors[rank * (wanted.rows + i % columns)];
    matrix[i] =
        std::inner_product(left, left + rank, right, 0.0f) / std::sqrt(static_cast<float>(rank));
  }
  return matrix;
}

// One step: the wire, decoded, and how much of what was encoded it lost.
struct Sent {
  std::vector<float> decoded;
  double lost_share = 0;  // |h - Q(h)|^2 / |h|^2
};
Sent send(const Codec& codec, const Feedback& feedback, std::span<const float> gradient,
          const RandomKey& key, std::span<float> residual) {
  std::vector<float> encoded(gradient.size());
  for (std::size_t i = 0; i < encoded.size(); ++i) {
    encoded[i] = sent_with(feedback, gradient[i], residual[i]);
  }
  std::vector<std::byte> wire(encoded_bytes(codec.format, gradient.size()));
  encode_with_feedback(codec, feedback, gradient, key, residual, wire);
  Sent sent{.decoded = std::vector<float>(gradient.size())};
  codec.decode(codec.format, wire, sent.decoded);
  std::vector<float> lost(encoded.size());
  for (std::size_t i = 0; i < lost.size(); ++i) lost[i] = encoded[i] - sent.decoded[i];
  sent.lost_share = square_of_norm(lost) / square_of_norm(encoded);
  return sent;
}

}  // namespace

std::vector<FeedbackRule> feedback_rules(const Format& format) {
  std::vector<FeedbackRule> rules{{"none", kNone}, {"ef_sgd", kEfSgd}};
  if (format.keep > 0 && format.rotation == Rotation::dct) {
    rules.push_back({"demo", kDemo});
  } else if (format.keep > 0 && format.choice == Choice::largest) {
    rules.push_back({"sparseloco", kSparseLoco});
  } else if (format.element == Element::int4) {
    rules.push_back({"loco", Loco{}.feedback});
  }
  return rules;
}

std::vector<std::vector<float>> draw_steps(const GradientSteps& wanted) {
  const std::uint64_t first = wanted.seed * 1'000'003;
  const std::vector<float> shared = wanted.common_rank > 0
                                        ? low_rank(wanted, first)
                                        : draw(*wanted.distribution, first, wanted.elements);
  const double own = std::sqrt(1 - wanted.common), common = std::sqrt(wanted.common);
  std::vector<std::vector<float>> gradients;
  for (std::size_t step = 1; step <= wanted.steps; ++step) {
    std::vector<float>& gradient =
        gradients.emplace_back(draw(*wanted.distribution, first + step, wanted.elements));
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      gradient[i] = static_cast<float>(own * gradient[i] + common * shared[i]);
    }
  }
  return gradients;
}

FeedbackErrors feedback_errors(const Codec& codec, const Feedback& feedback,
                               std::span<const std::vector<float>> gradients, std::uint64_t seed) {
  constexpr double kUnbounded = 1e12;  // the square of a million
  require(!gradients.empty(), "at least one step");
  const std::size_t steps = gradients.size();
  std::vector<float> residual(gradients.front().size());
  std::vector<double> exact(residual.size()), received(residual.size());
  double lost_shares = 0, residuals = 0, norms = 0;
  for (std::size_t step = 0; step < steps; ++step) {
    const std::vector<float>& gradient = gradients[step];
    const RandomKey key{.seed = seed, .step = static_cast<std::uint32_t>(step)};
    const Sent sent = send(codec, feedback, gradient, key, residual);
    for (std::size_t i = 0; i < received.size(); ++i) {
      exact[i] += gradient[i];
      received[i] += sent.decoded[i];
    }
    lost_shares += sent.lost_share;
    const double norm = square_of_norm(gradient), kept = square_of_norm(residual);
    if (!(kept < kUnbounded * norm)) {
      return {.contraction = 1 - lost_shares / static_cast<double>(step + 1), .bounded = false};
    }
    if (step >= steps - (steps + 3) / 4) {
      residuals += kept;
      norms += norm;
    }
  }
  return {.contraction = 1 - lost_shares / static_cast<double>(steps),
          .residual = std::sqrt(residuals / norms),
          .running_sum = relative_distance(exact, received)};
}

}  // namespace codecs
