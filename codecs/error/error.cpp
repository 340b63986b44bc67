// SPDX-License-Identifier: Apache-2.0
#include "codecs/error/error.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "codecs/error/distributions.hpp"

namespace codecs {
namespace {

Eigen::ArrayXd as_array(std::span<const float> values) {
  return Eigen::Map<const Eigen::ArrayXf>(values.data(), static_cast<Eigen::Index>(values.size()))
      .cast<double>();
}

}  // namespace

ErrorMetrics compare(std::span<const float> exact, std::span<const float> decoded) {
  require(exact.size() == decoded.size() && !exact.empty(), "two tensors of one size");
  double squares = 0, decoded_squares = 0, products = 0, lost_squares = 0, lost = 0, most = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    const double x = exact[i], y = decoded[i], error = y - x;
    squares += x * x;
    decoded_squares += y * y;
    products += x * y;
    lost_squares += error * error;
    lost += error;
    most = std::max(most, std::abs(error));
  }
  return {.relative_l2 = std::sqrt(lost_squares / squares),
          .cosine = products / std::sqrt(squares * decoded_squares),
          .max_abs = most,
          .bias = lost / std::sqrt(squares * static_cast<double>(exact.size()))};
}

std::vector<float> encode_and_decode(const Codec& codec, std::span<const float> values,
                                     const RandomKey& key) {
  std::vector<std::byte> wire(encoded_bytes(codec.format, values.size()));
  std::vector<float> decoded(values.size());
  codec.encode(codec.format, values, key, wire);
  codec.decode(codec.format, wire, decoded);
  return decoded;
}

std::vector<float> mean_of(std::span<const std::vector<float>> of_rank) {
  Eigen::ArrayXd sum = Eigen::ArrayXd::Zero(std::ssize(of_rank.front()));
  for (const std::vector<float>& gradient : of_rank) sum += as_array(gradient);
  const Eigen::ArrayXf mean = (sum / static_cast<double>(of_rank.size())).cast<float>();
  return {mean.begin(), mean.end()};
}

Gradients draw_gradients(const GradientDraw& wanted, std::size_t ranks, std::size_t elements) {
  const Distribution& distribution = *wanted.distribution;
  // Streams: the shared part (0) and each rank.
  const Eigen::ArrayXd shared = as_array(draw(distribution, stream(wanted.seed, 0), elements));
  Gradients gradients;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const Eigen::ArrayXd own =
        as_array(draw(distribution, stream(wanted.seed, 1 + rank), elements));
    const Eigen::ArrayXf gradient =
        (std::sqrt(wanted.common) * shared + std::sqrt(1 - wanted.common) * own).cast<float>();
    gradients.of_rank.emplace_back(gradient.begin(), gradient.end());
  }
  gradients.mean = mean_of(gradients.of_rank);
  return gradients;
}

}  // namespace codecs
