#include "codecs/error/error.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "codecs/difference/difference.hpp"
#include "codecs/error/distributions.hpp"

namespace codecs {
namespace {

Eigen::ArrayXd as_array(std::span<const float> values) {
  return Eigen::Map<const Eigen::ArrayXf>(values.data(), static_cast<Eigen::Index>(values.size()))
      .cast<double>();
}

Eigen::ArrayXd as_array(std::span<const Bf16> values) {
  std::vector<float> floats(values.size());
  std::ranges::transform(values, floats.begin(), to_float);
  return as_array(floats);
}

// Independent streams for the shared part (0), each rank, the weights and each step.
std::uint64_t stream(std::uint64_t seed, std::uint64_t index) { return seed * 1'000'003 + index; }

Eigen::ArrayXd draw_array(std::string_view distribution, std::uint64_t seed, std::size_t elements) {
  return as_array(draw(distribution_named(distribution), seed, elements));
}

}  // namespace

ErrorMetrics compare(std::span<const float> exact, std::span<const float> decoded) {
  require(exact.size() == decoded.size() && !exact.empty(), "two tensors of one size");
  const Eigen::ArrayXd x = as_array(exact);
  const Eigen::ArrayXd y = as_array(decoded);
  const double norm = x.matrix().norm();
  return {.relative_l2 = (y - x).matrix().norm() / norm,
          .cosine = x.matrix().dot(y.matrix()) / (norm * y.matrix().norm()),
          .max_abs = (y - x).abs().maxCoeff(),
          .bias = (y - x).mean() / std::sqrt(x.square().mean())};
}

std::vector<float> encode_and_decode(const Codec& codec, std::span<const float> values,
                                     const RandomKey& key) {
  std::vector<std::byte> wire(encoded_bytes(codec.format, values.size()));
  std::vector<float> decoded(values.size());
  codec.encode(codec.format, values, key, wire);
  codec.decode(codec.format, wire, decoded);
  return decoded;
}

Gradients draw_gradients(const GradientDraw& wanted, std::size_t ranks, std::size_t elements) {
  const Distribution& distribution = *wanted.distribution;
  const Eigen::ArrayXd shared = as_array(draw(distribution, stream(wanted.seed, 0), elements));
  Eigen::ArrayXd sum = Eigen::ArrayXd::Zero(static_cast<Eigen::Index>(elements));
  Gradients gradients;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const Eigen::ArrayXd own =
        as_array(draw(distribution, stream(wanted.seed, 1 + rank), elements));
    const Eigen::ArrayXf gradient =
        (std::sqrt(wanted.common) * shared + std::sqrt(1 - wanted.common) * own).cast<float>();
    sum += gradient.cast<double>();
    gradients.of_rank.emplace_back(gradient.begin(), gradient.end());
  }
  const Eigen::ArrayXf mean = (sum / static_cast<double>(ranks)).cast<float>();
  gradients.mean.assign(mean.begin(), mean.end());
  return gradients;
}

ErrorMetrics reduction_error(const TwoLevel& shape, const Gradients& gradients,
                             const RandomKey& key) {
  return compare(gradients.mean, reduce_two_level(shape, gradients.of_rank, key));
}

WeightExchange send_weights(const Codec& codec) {
  return [&codec](std::span<const float> master, const RandomKey& key, std::span<Bf16> model) {
    std::vector<float> rounded(master.size());
    std::ranges::transform(master, rounded.begin(), [](float w) { return to_float(to_bf16(w)); });
    std::ranges::transform(encode_and_decode(codec, rounded, key), model.begin(), to_bf16);
  };
}

WeightExchange send_differences(const Codec& codec) {
  return [&codec](std::span<const float> master, const RandomKey& key, std::span<Bf16> model) {
    std::vector<std::byte> wire(encoded_bytes(codec.format, master.size()));
    encode_difference(codec.format, master, model, key, wire);
    decode_add(codec.format, wire, model);
  };
}

std::vector<double> weight_errors(const AdamTrace& trace, const WeightExchange& exchange) {
  constexpr double kBeta1 = 0.9, kBeta2 = 0.95, kDecay = 0.1, kEpsilon = 1e-8;
  Eigen::ArrayXf master =
      (0.02 * draw_array("normal", stream(trace.seed, 0), trace.weights)).cast<float>();
  std::vector<Bf16> model(trace.weights);
  std::ranges::transform(master, model.begin(), to_bf16);
  Eigen::ArrayXd mean = Eigen::ArrayXd::Zero(master.size()), square = mean;
  std::vector<double> errors;
  int step = 0;
  for (const AdamTrace::Phase& phase : trace.phases) {
    for (int i = 0; i < phase.steps; ++i) {
      ++step;
      const auto index = static_cast<std::uint32_t>(step);
      const Eigen::ArrayXd gradient =
          draw_array("normal", stream(trace.seed, index), trace.weights);
      mean = kBeta1 * mean + (1 - kBeta1) * gradient;
      square = kBeta2 * square + (1 - kBeta2) * gradient.square();
      const double correction =
          std::sqrt(1 - std::pow(kBeta2, step)) / (1 - std::pow(kBeta1, step));
      const Eigen::ArrayXd direction =
          correction * mean / (square.sqrt() + kEpsilon) + kDecay * master.cast<double>();
      master = (master.cast<double>() - phase.learning_rate * direction).cast<float>();
      exchange({master.data(), trace.weights}, {.seed = trace.seed, .step = index}, model);
    }
    const Eigen::ArrayXd exact = master.cast<double>();
    errors.push_back((as_array(std::span<const Bf16>(model)) - exact).matrix().norm() /
                     exact.matrix().norm());
  }
  return errors;
}

}  // namespace codecs
