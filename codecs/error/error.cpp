#include "codecs/error/error.hpp"

#include <Eigen/Core>
#include <cmath>

#include "codecs/error/distributions.hpp"

namespace codecs {
namespace {

Eigen::ArrayXd as_array(std::span<const float> values) {
  return Eigen::Map<const Eigen::ArrayXf>(values.data(), static_cast<Eigen::Index>(values.size()))
      .cast<double>();
}

// Independent streams for the shared part (0) and each rank.
std::uint64_t stream(std::uint64_t seed, std::uint64_t index) { return seed * 1'000'003 + index; }

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

}  // namespace codecs
