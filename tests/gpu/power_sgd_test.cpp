// SPDX-License-Identifier: Apache-2.0
// PowerSGD's kernels between products of matrices: cuBLAS's where it is, else the host's. Sums are
// in other orders than the reference's, so errors against float64 are compared with those of plain
// loops in float32.
#include "codecs/power_sgd/power_sgd.hpp"

#include "codecs/power_sgd/kernels.hpp"
#include "codecs/power_sgd/loops.hpp"
#include "tests/gpu/device.hpp"
#include "tests/gpu/host_products.hpp"

namespace codecs::cuda {
namespace {

Multiply products() {
  const std::optional<Cublas> cublas = load_cublas();
  return cublas ? cublas->multiply : multiply_on_host;
}

// Each rank's buffers on the device, and their all_reduce.
struct DeviceRank {
  DeviceRank(const PowerSgd& shape, const std::vector<float>& start)
      : residual(shape.elements() * sizeof(float)),
        matrix(shape.elements() * sizeof(float)),
        p(shape.rows * shape.rank * sizeof(float)),
        q(shape.columns * shape.rank * sizeof(float)),
        next_q(shape.columns * shape.rank * sizeof(float)) {
    check(cudaMemset(residual.get(), 0, shape.elements() * sizeof(float)));
    upload(std::span(start), floats(q));
  }
  PowerSgdBuffers buffers() const {
    return {.residual = floats(residual),
            .matrix = floats(matrix),
            .p = floats(p),
            .q = floats(q),
            .next_q = floats(next_q)};
  }
  static float* floats(const GuardedBytes& bytes) { return reinterpret_cast<float*>(bytes.get()); }

  GuardedBytes residual, matrix, p, q, next_q;
};

void all_reduce_mean(std::vector<DeviceRank>& ranks, GuardedBytes DeviceRank::*factor) {
  std::vector<float> mean;
  for (const DeviceRank& rank : ranks) {
    const std::vector<float> own = as_values<float>((rank.*factor).to_host());
    mean.resize(own.size());
    for (std::size_t i = 0; i < own.size(); ++i) mean[i] += own[i];
  }
  for (float& value : mean) value /= static_cast<float>(ranks.size());
  for (const DeviceRank& rank : ranks) {
    upload(std::span<const float>(mean), DeviceRank::floats(rank.*factor));
  }
}

// What every rank installs.
std::vector<float> step_on_gpu(const PowerSgd& shape, const Multiply& multiply,
                               const std::vector<std::vector<float>>& values,
                               std::vector<DeviceRank>& ranks) {
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const DeviceBuffer<float> input{std::span<const float>(values[i])};
    power_sgd_p_async(shape, input.get(), ranks[i].buffers(), multiply, nullptr);
    check(cudaDeviceSynchronize());
  }
  all_reduce_mean(ranks, &DeviceRank::p);
  for (DeviceRank& rank : ranks) power_sgd_q_async(shape, rank.buffers(), multiply, nullptr);
  all_reduce_mean(ranks, &DeviceRank::next_q);
  for (DeviceRank& rank : ranks) {
    const std::vector<float> matrix = as_values<float>(rank.matrix.to_host());
    power_sgd_finish_async(shape, rank.buffers(), nullptr);
    const auto sent = as_values<float>(rank.matrix.to_host());
    const auto residual = as_values<float>(rank.residual.to_host());
    for (std::size_t i = 0; i < sent.size(); ++i) EXPECT_EQ(residual[i], matrix[i] - sent[i]);
    EXPECT_EQ(rank.matrix.to_host(), ranks.front().matrix.to_host());  // all install the same
    EXPECT_EQ(rank.q.to_host(), rank.next_q.to_host());
  }
  return as_values<float>(ranks.front().matrix.to_host());
}

constexpr std::array kShapes{PowerSgd{128, 192, 4}, PowerSgd{33, 257, 1}, PowerSgd{257, 36, 3},
                             PowerSgd{64, 64, 9}, PowerSgd{90, 100, 20}};

TEST(PowerSgdKernels, AreAsExactAsLoopsInFloat32StepAfterStep) {
  for (const PowerSgd& shape : kShapes) {
    constexpr std::size_t kRanks = 2;
    const std::vector<float> q = power_sgd_start(shape, {.seed = 7});
    PowerSgdLoops<double> exact(shape, kRanks, q);
    PowerSgdLoops<float> plain(shape, kRanks, q);
    codecs::PowerSgdState reference = power_sgd_state(shape, kRanks, {.seed = 7});
    std::vector<DeviceRank> ranks;
    for (std::size_t rank = 0; rank < kRanks; ++rank) ranks.emplace_back(shape, q);
    for (std::uint64_t step = 0; step < 2; ++step) {
      std::vector<std::vector<float>> values;
      for (std::size_t rank = 0; rank < kRanks; ++rank) {
        values.push_back(normal_values(shape.elements(), 10 * step + rank));
      }
      const std::vector<double> expected = exact.step(values);
      const double of_plain = distance(plain.step(values), expected);
      const double of_gpu = distance(step_on_gpu(shape, products(), values, ranks), expected);
      const double of_reference =
          distance(all_reduce_power_sgd(shape, values, reference), expected);
      EXPECT_LE(of_gpu, 2 * of_plain) << shape.rows << " x " << shape.columns << " " << shape.rank;
      EXPECT_LE(of_reference, 2 * of_plain);
    }
  }
}

// Of more and of fewer rows than the block has threads.
TEST(PowerSgdKernels, MakeColumnsOrthonormal) {
  for (const auto& [rows, columns] : {std::pair{2100u, 32u}, {1025u, 5u}, {31u, 3u}, {7u, 1u}}) {
    const std::vector<float> factor = normal_values(std::size_t{rows} * columns, 3);
    const GuardedBytes device(factor.size() * sizeof(float));
    upload(std::span(factor), DeviceRank::floats(device));
    orthonormalise_async(rows, columns, DeviceRank::floats(device), nullptr);
    const auto p = as_values<float>(device.to_host());
    for (std::size_t i = 0; i < columns; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        double dot = 0;
        for (std::size_t row = 0; row < rows; ++row) {
          dot += static_cast<double>(p[i * rows + row]) * p[j * rows + row];
        }
        EXPECT_NEAR(dot, i == j ? 1 : 0, 2e-6) << rows << " " << i << " " << j;
      }
    }
  }
}

TEST(PowerSgdKernels, LeaveColumnsThatOthersExplainNearZero) {
  constexpr std::size_t kRows = 300;
  std::vector<float> factor(3 * kRows, 0.0f);
  for (std::size_t row = 0; row < kRows; ++row) factor[row] = factor[2 * kRows + row] = 0.5f;
  const DeviceBuffer<float> device{std::span<const float>(factor)};
  orthonormalise_async(kRows, 3, device.get(), nullptr);
  const std::vector<float> p = device.to_host();
  for (std::size_t row = 0; row < kRows; ++row) {
    EXPECT_NEAR(p[row], 1 / std::sqrt(300.0), 1e-6);
    EXPECT_EQ(p[kRows + row], 0);
    EXPECT_TRUE(std::isfinite(p[2 * kRows + row]));
  }
}

// Rounding to float32 is half a last place; the device's float64 functions add next to nothing.
TEST(PowerSgdKernels, StartFromTheReferencesNormals) {
  for (const PowerSgd& shape : {PowerSgd{1, 1001, 3}, PowerSgd{1, 1, 1}, PowerSgd{4, 4096, 32}}) {
    const RandomKey key{.seed = 0x123456789ABCDEFu, .step = 5, .tensor = 6, .rank = 7};
    const std::vector<float> expected = power_sgd_start(shape, key);
    const GuardedBytes q(expected.size() * sizeof(float));
    power_sgd_start_async(shape, key, DeviceRank::floats(q), nullptr);
    const auto drawn = as_values<float>(q.to_host());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_NEAR(drawn[i], expected[i], 0x1p-23 * std::abs(expected[i]) + 1e-15) << i;
    }
  }
}

TEST(PowerSgdKernels, FlagNaNsAndInfinitiesAndKeepTheirStateFreeOfThem) {
  const PowerSgd shape{.rows = 40, .columns = 60, .rank = 2};
  const std::vector<float> start = power_sgd_start(shape, {});
  for (const float special :
       {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity(), 1.0f}) {
    const auto values = with_value(normal_values(shape.elements(), 1), 77, special);
    std::vector<DeviceRank> ranks;
    ranks.emplace_back(shape, start);
    PowerSgdBuffers buffers = ranks[0].buffers();
    const DeviceBuffer<unsigned> flag{std::vector<unsigned>{0}};
    const DeviceBuffer<float> input{std::span<const float>(values)};
    buffers.nonfinite = flag.get();
    power_sgd_p_async(shape, input.get(), buffers, products(), nullptr);
    power_sgd_q_async(shape, buffers, products(), nullptr);
    power_sgd_finish_async(shape, buffers, nullptr);
    EXPECT_EQ(flag.to_host().front(), std::isfinite(special) ? 0u : 1u);
    for (const float sent : as_values<float>(ranks[0].matrix.to_host())) {
      EXPECT_EQ(std::isfinite(sent), std::isfinite(special));
    }
    for (const float kept : as_values<float>(ranks[0].residual.to_host())) {
      EXPECT_EQ(kept == 0, !std::isfinite(special));
    }
    EXPECT_EQ(as_values<float>(ranks[0].q.to_host()) == start, !std::isfinite(special));
  }
}

TEST(PowerSgdKernels, RefuseRanksBeyondTheirs) {
  EXPECT_THROW(power_sgd_start_async({8, 8, 33}, {}, nullptr, nullptr), std::invalid_argument);
  EXPECT_THROW(power_sgd_start_async({8, 8, 0}, {}, nullptr, nullptr), std::invalid_argument);
}

}  // namespace
}  // namespace codecs::cuda
