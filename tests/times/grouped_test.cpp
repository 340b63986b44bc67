// SPDX-License-Identifier: Apache-2.0
// Layers of experts: grouped products are ordinary ones of all rows in whole tiles, or the bytes of all
// weights, and permutations are passes over memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "sim/base/csv.hpp"
#include "sim/times/product_shape.hpp"
#include "sim/times/published.hpp"
#include "sim/times/roofline.hpp"
#include "sim/workload/parallelism_names.hpp"
#include "tests/input_errors.hpp"
#include "tests/schedule/sample_cluster.hpp"
#include "tests/shipped_files.hpp"

namespace sim {
namespace {

namespace fs = std::filesystem;

fs::path kernels_folder() { return source_directory() / "traces/kernels"; }

std::string upper_case(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

Gpu gpu_named(const std::string& name) {
  Gpu gpu = sample_cluster({}).gpu;
  gpu.name = name;
  gpu.launch_latency = {};
  return gpu;
}

// A GPU with the times published for it; without any, the roofline's.
struct Timed {
  Gpu gpu;
  Calibration calibration = roofline();

  explicit Timed(const std::string& name) : gpu(gpu_named(name)) {
    if (name.empty()) return;
    calibration.published = read_published_kernels(kernels_folder(), gpu);
    gpu = as_timed(calibration.published->products, gpu);
  }
  double seconds(const Operator& one) const {
    return Roofline(gpu, 1, calibration).block({one}).seconds;
  }
};

// Of `experts` experts with so many rows each and weights (k x n), in BF16.
Operator of_experts(double experts, double rows, double n, double k,
                    Gradient gradient = Gradient::none) {
  Operator one{.m = rows, .n = n, .k = k, .count = experts};
  if (gradient == Gradient::inputs) std::swap(one.n, one.k);
  if (gradient == Gradient::weights) one = {.m = n, .n = k, .k = rows, .count = experts};
  one.bytes = 2 * experts * (rows * k + k * n + rows * n);
  one.work = Work::grouped;
  one.gradient = gradient;
  return one;
}

Operator ordinary(Operator one) {
  one.work = Work::product;
  return one;
}

class Grouped : public testing::TestWithParam<std::string> {
 protected:
  const Timed timed_{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(All, Grouped,
                         testing::Values("", "A100", "H100", "H200", "B200", "GB200", "B300"),
                         [](const auto& one) {
                           return one.param.empty() ? "Roofline" : one.param;
                         });

constexpr Gradient kGradients[] = {Gradient::none, Gradient::inputs, Gradient::weights};

// The noise of published times leaves some more rows a little faster.
TEST_P(Grouped, TakeNoLessTimeForMoreRows) {
  for (const Gradient gradient : kGradients) {
    for (const double experts : {1, 8, 64}) {
      for (const double width : {768, 2048, 8192}) {
        double before = 0;
        for (double rows = 1; rows <= 16384; rows *= 2) {
          const double seconds = timed_.seconds(of_experts(experts, rows, width, 4096, gradient));
          EXPECT_GE(seconds, 0.97 * before) << experts << " " << width << " " << rows;
          before = seconds;
        }
      }
    }
  }
}

TEST_P(Grouped, AreNoFasterThanThePeakAndTheMemoryAllow) {
  std::mt19937_64 random(1);
  const auto size = [&](double least, double most) {
    return std::round(
        std::exp(std::uniform_real_distribution<>(std::log(least), std::log(most))(random)));
  };
  for (int i = 0; i < 2000; ++i) {
    const Operator one =
        of_experts(size(1, 256), size(1, 1e4), size(64, 2e4), size(64, 2e4), kGradients[i % 3]);
    const double seconds = timed_.seconds(one) * (1 + 1e-12);
    EXPECT_GE(seconds, one.flop() / timed_.gpu.bf16.base());
    EXPECT_GE(seconds, one.bytes / timed_.gpu.memory_bandwidth.base());
  }
}

TEST_P(Grouped, OfOneExpertWithManyRowsAreOrdinaryProducts) {
  for (const Gradient gradient : kGradients) {
    for (const double rows : {4096, 10000, 20001}) {
      const Operator one = of_experts(1, rows, 4096, 4096, gradient);
      EXPECT_NEAR(timed_.seconds(one) / timed_.seconds(ordinary(one)), 1, 0.03) << rows;
    }
  }
}

TEST_P(Grouped, WithFewRowsReadAllWeights) {
  const double share = GetParam().empty() ? timed_.gpu.memory_efficiency
                                          : timed_.calibration.published->grouped.products;
  const Operator one = of_experts(64, 1, 8192, 4096);
  EXPECT_NEAR(timed_.seconds(one), one.bytes / (timed_.gpu.memory_bandwidth.base() * share), 1e-9);
  EXPECT_GT(timed_.seconds(one), 10 * timed_.seconds(of_experts(4, 16, 8192, 4096)));
}

TEST(Grouped, FillTheirTilesWithEachExpertsRows) {
  EXPECT_EQ(in_whole_tiles(of_experts(8, 65, 768, 2048)).m, 128);
  EXPECT_EQ(in_whole_tiles(of_experts(8, 65, 768, 2048, Gradient::inputs)).m, 128);
  EXPECT_EQ(in_whole_tiles(of_experts(8, 65, 768, 2048, Gradient::weights)).k, 128);
  EXPECT_EQ(in_whole_tiles(of_experts(8, 64, 768, 2048)).m, 64);
  EXPECT_EQ(in_whole_tiles(ordinary(of_experts(8, 65, 768, 2048))).m, 65);
  // 65 rows waste nearly half of two tiles, where the products are long enough to show it.
  const Timed h100("H100");
  const double tile = h100.seconds(of_experts(256, 512, 8192, 8192));
  EXPECT_NEAR(h100.seconds(of_experts(256, 513, 8192, 8192)) / tile, 576. / 512, 0.03);
}

TEST(Permutations, TakeTheirShareOfTheBandwidth) {
  const Operator one{.bytes = 1e9, .work = Work::permute};
  const Timed h100("H100");
  EXPECT_NEAR(h100.seconds(one), 1e9 / (3350e9 * h100.calibration.published->grouped.permutations),
              1e-12);
  const Timed plain("");
  EXPECT_NEAR(plain.seconds(one),
              1e9 / (plain.gpu.memory_bandwidth.base() * plain.gpu.memory_efficiency), 1e-12);
}

TEST(Grouped, SayWhoseLayersTheyFit) {
  const auto source = [](const std::string& gpu) {
    return grouped_source(*read_published_kernels(kernels_folder(), gpu_named(gpu)));
  };
  EXPECT_NE(source("NVIDIA H100").find("fits layers published for such GPUs"), std::string::npos);
  EXPECT_NE(source("H200").find("on H200"), std::string::npos);
  for (const char* other : {"A100", "Tesla V100"}) {
    EXPECT_NE(source(other).find("extrapolated by bandwidth"), std::string::npos) << other;
    EXPECT_NE(source(other).find("on H100"), std::string::npos) << other;
  }
}

// Blackwell's other GPUs take the row of their kind.
TEST(Grouped, OfAnotherGpuAreThoseOfItsKind) {
  Gpu gpu = gpu_named("B300");
  gpu.fp8 = gpu.fp4 = gpu.bf16;
  const auto published = read_published_kernels(kernels_folder(), gpu);
  EXPECT_NE(grouped_source(*published).find("on B200"), std::string::npos);
}

// --- The layers of expert_layers.csv ---

// One line, by its tokens.
struct Layer {
  std::string gpu;
  MatrixPrecision precision = MatrixPrecision::bf16;
  double experts = 0;  // on the rank
  std::vector<double> rows, tokens, seconds;
  double hidden = 0, width = 0, rising = 0;
};

constexpr std::array kTokens{256, 512, 1024, 2048, 4096, 8192, 16384};
// Routing and launches of the framework that was timed, which the program has no kernels for.
constexpr double kRouting = 25e-6;

std::vector<Layer> shipped_layers() {
  std::vector<Layer> layers;
  for (const CsvRow& row : read_csv(kernels_folder() / "expert_layers.csv")) {
    const auto precision = value_named<MatrixPrecision>(row.text("precision"), kMatrixPrecisions);
    Layer layer{.gpu = row.text("gpu"), .precision = precision.value()};
    layer.experts = row.number("experts") / row.number("ep");
    layer.hidden = row.number("hidden");
    layer.width = row.number("expert_width") / row.number("etp");
    layer.rising = row.text("gated") == "1" ? 2 : 1;
    for (const int tokens : kTokens) {
      layer.tokens.push_back(tokens);
      layer.rows.push_back(tokens * row.number("top_k") / row.number("experts"));
      layer.seconds.push_back(1e-6 * row.number("t" + std::to_string(tokens)));
    }
    layers.push_back(layer);
  }
  return layers;
}

Operator product_of(const Layer& layer, double rows, double n, double k) {
  Operator one = of_experts(layer.experts, rows, n, k);
  one.precision = layer.precision;
  one.bytes = layer.experts * (bytes_of(layer.precision) * (rows * k + k * n) + 2 * rows * n);
  return one;
}

double predicted(const Timed& timed, const Layer& layer, std::size_t at) {
  const double each = layer.rows[at];
  const double rows = layer.experts * each;
  const double activation = rows * layer.width * (2 * layer.rising + bytes_of(layer.precision));
  return kRouting +
         timed.seconds(
             {.bytes = 2 * layer.hidden * (3 * rows + layer.tokens[at]), .work = Work::permute}) +
         timed.seconds({.bytes = activation, .work = Work::activation}) +
         timed.seconds(product_of(layer, each, layer.rising * layer.width, layer.hidden)) +
         timed.seconds(product_of(layer, each, layer.hidden, layer.width));
}

// The errors that README.md has, of each GPU and precision. Single layers on which the framework chose a
// poor kernel are much slower.
TEST(ShippedLayers, TakeWhatGroupedProductsAndPermutationsSay) {
  std::map<std::string, std::vector<double>> off;
  for (const Layer& layer : shipped_layers()) {
    Timed timed(upper_case(layer.gpu));
    timed.gpu.memory_efficiency = layer.gpu.find('b') == std::string::npos ? 0.85 : 0.78;
    for (std::size_t i = 0; i < kTokens.size(); ++i) {
      const double log_ratio = std::log(predicted(timed, layer, i) / layer.seconds[i]);
      EXPECT_LT(log_ratio, 0.5) << layer.gpu << " " << layer.hidden << " " << layer.rows[i];
      EXPECT_GT(log_ratio, -2) << layer.gpu << " " << layer.hidden << " " << layer.rows[i];
      off[layer.gpu + (layer.precision == MatrixPrecision::bf16 ? "" : " in FP8")].push_back(
          std::abs(log_ratio));
    }
  }
  EXPECT_EQ(off.size(), 9u);
  for (auto& [name, errors] : off) {
    std::ranges::nth_element(errors, errors.begin() + static_cast<int>(errors.size() / 2));
    EXPECT_LT(errors[errors.size() / 2], name == "a100" ? 0.55 : 0.13) << name;
    EXPECT_GE(errors.size(), 100u) << name;
  }
}

// The shipped folder with kernels.toml changed.
std::string error_of_row(const std::string& from, const std::string& to) {
  const fs::path folder = fs::temp_directory_path() / "gardenhose_grouped_test";
  fs::remove_all(folder);
  fs::create_directories(folder);
  fs::copy_file(kernels_folder() / "products_h100.csv", folder / "products_h100.csv");
  std::string text = text_of(kernels_folder() / "kernels.toml");
  const auto at = text.find(from, text.find("[grouped."));
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  std::ofstream(folder / "kernels.toml") << text;
  return input_error_of(
      [&] { static_cast<void>(read_published_kernels(folder, gpu_named("H100"))); });
}

TEST(Grouped, RefuseDamagedRowsAtAPlace) {
  EXPECT_EQ(error_of_row("products", "products"), "");
  EXPECT_NE(error_of_row("products = 0.", "product = 0.").find("did you mean products"),
            std::string::npos);
  for (const char* damaged :
       {"products = -0.", "products = 1", "products = nan #", "products = \"a\" #"}) {
    EXPECT_NE(error_of_row("products = 0.", damaged).find("products"), std::string::npos)
        << damaged;
  }
  EXPECT_NE(error_of_row("permutations = 0.", "permutations = 00.").find("kernels.toml"),
            std::string::npos);
  EXPECT_NE(error_of_row("spread = 0.", "spread = 9.").find("spread"), std::string::npos);
  EXPECT_NE(error_of_row("gpus = [\"H100\"", "gpus = [7, \"H100\"").find("gpus"),
            std::string::npos);
}

}  // namespace
}  // namespace sim
