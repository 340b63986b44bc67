// SPDX-License-Identifier: Apache-2.0
// Published times of kernels: a shape of the table has its time, shapes between have times between,
// more work takes longer, and another GPU scales by what binds.
#include "sim/times/published.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <tuple>

#include "sim/base/csv.hpp"
#include "sim/times/measured_die.hpp"
#include "sim/times/roofline.hpp"
#include "sim/workload/parallelism_names.hpp"
#include "tests/input_errors.hpp"
#include "tests/schedule/sample_cluster.hpp"
#include "tests/shipped_files.hpp"

namespace sim {
namespace {

namespace fs = std::filesystem;

fs::path shipped_kernels() { return source_directory() / "traces/kernels"; }

Gpu named(const std::string& name) {
  Gpu gpu = sample_cluster({}).gpu;
  gpu.name = name;
  return gpu;
}

// The very GPU on which a table's products were timed.
Gpu gpu_of(const PublishedProducts& table) { return as_timed(table, named("timed")); }

// "h100" of products_h100.csv, which the name NVIDIA H100 finds.
std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

std::shared_ptr<const PublishedKernels> published_for(const std::string& gpu) {
  return read_published_kernels(shipped_kernels(), named("NVIDIA " + gpu));
}

Operator product(double m, double n, double k, MatrixPrecision precision = MatrixPrecision::bf16) {
  return {.m = m, .n = n, .k = k, .precision = precision, .work = Work::product};
}

class ShippedProducts : public testing::TestWithParam<fs::path> {
 protected:
  const std::string name_ = GetParam().stem().string().substr(std::string("products_").size());
  const std::shared_ptr<const PublishedKernels> published_ = published_for(upper(name_));
  const Gpu gpu_ = gpu_of(published_->products);
  double seconds(const Operator& one) const { return product_seconds(*published_, gpu_, one); }
};

std::vector<fs::path> tables() {
  std::vector<fs::path> files = shipped_files("traces/kernels", ".csv");
  std::erase_if(
      files, [](const fs::path& file) { return !file.stem().string().starts_with("products_"); });
  return files;
}

INSTANTIATE_TEST_SUITE_P(All, ShippedProducts, testing::ValuesIn(tables()),
                         [](const auto& one) { return one.param.stem().string(); });

TEST_P(ShippedProducts, HaveTheirTimeAtEveryShapeOfTheTable) {
  EXPECT_EQ(published_->products.name, name_);
  int shapes = 0;
  for (const CsvRow& row : read_csv(GetParam())) {
    const auto precision = value_named<MatrixPrecision>(row.text("precision"), kMatrixPrecisions);
    for (const double k : published_->products.grids.at(MatrixPrecision::bf16).k) {
      const double wanted = row.number("k" + std::to_string(static_cast<int>(k))) * 1e-6;
      const Operator one = product(row.number("m"), row.number("n"), k, *precision);
      EXPECT_NEAR(seconds(one) / wanted, 1, 1e-3) << row.place_of("");
      ++shapes;
    }
  }
  EXPECT_GE(shapes, 300);
}

// The noise of published times, and on A100 whole tiles, leave some larger shapes faster.
TEST_P(ShippedProducts, TakeLongerForMoreWork) {
  std::mt19937_64 random(1);
  const auto size = [&] {
    return std::round(
        std::exp(std::uniform_real_distribution<>(std::log(512), std::log(5e4))(random)));
  };
  for (int i = 0; i < 2000; ++i) {
    const Operator one = product(size(), size(), size());
    for (const auto axis : {&Operator::m, &Operator::n, &Operator::k}) {
      Operator more = one;
      more.*axis *= 2;
      EXPECT_GT(seconds(more) / seconds(one), 0.9) << one.m << " " << one.n << " " << one.k;
    }
  }
}

TEST_P(ShippedProducts, AreNoFasterThanThePeak) {
  std::mt19937_64 random(2);
  const auto size = [&] { return std::exp(std::uniform_real_distribution<>(3, 12)(random)); };
  for (int i = 0; i < 2000; ++i) {
    const Operator one = product(size(), size(), size());
    EXPECT_GE(seconds(one) * (1 + 1e-12), one.flop() / gpu_.bf16.base());
    Operator again = one;
    again.gradient = Gradient::weights;
    EXPECT_GE(seconds(again), seconds(one));
  }
}

TEST_P(ShippedProducts, ScaleByWhatBindsThem) {
  const Operator wide = product(8192, 8192, 8192);    // by the matrix rate
  const Operator narrow = product(32768, 65536, 64);  // by what it writes
  Gpu faster = gpu_;
  faster.bf16 = gpu_.bf16 * 1.5;
  EXPECT_NEAR(product_seconds(*published_, faster, wide) / seconds(wide), 1 / 1.5, 1e-9);
  EXPECT_NEAR(product_seconds(*published_, faster, narrow) / seconds(narrow), 1, 1e-9);
  Gpu wider = gpu_;
  wider.memory_bandwidth = gpu_.memory_bandwidth * 1.5;
  EXPECT_NEAR(product_seconds(*published_, wider, wide) / seconds(wide), 1, 1e-9);
  EXPECT_NEAR(product_seconds(*published_, wider, narrow) / seconds(narrow), 1 / 1.5, 1e-9);
}

TEST_P(ShippedProducts, BeyondTheTableKeepTheRateOfItsEdge) {
  const double last = published_->products.grids.at(MatrixPrecision::bf16).m.back();
  const Operator edge = product(last, 8192, 8192);
  EXPECT_NEAR(seconds(product(4 * last, 8192, 8192)) / seconds(edge), 4, 0.01);
  // Many products are as one of so many more rows.
  Operator batch = product(last / 8, 8192, 8192);
  batch.count = 8;
  EXPECT_NEAR(seconds(batch) / seconds(edge), 1, 0.01);
}

TEST(Published, IsForTheGpusThatItNamesAndExtrapolatedForOthers) {
  EXPECT_TRUE(published_for("H100 80GB HBM3")->same);
  EXPECT_TRUE(published_for("A100-SXM4-40GB")->same);
  EXPECT_EQ(published_for("H800")->products.name, "h100");
  Gpu gpu = named("Tesla V100");
  const auto of = [&] { return read_published_kernels(shipped_kernels(), gpu); };
  EXPECT_EQ(of()->products.name, "a100");
  EXPECT_FALSE(of()->same);
  EXPECT_NE(products_source(*of()).find("extrapolated"), std::string::npos);
  EXPECT_GT(of()->products.spread, published_for("A100")->products.spread);
  gpu.fp8 = 800_TFLOPs;
  EXPECT_EQ(of()->products.name, "h100");
  gpu.fp4 = 1600_TFLOPs;
  EXPECT_EQ(of()->products.name, "b200");
}

Operator attention(Attention kernel, double length, double head_width, Gradient gradient) {
  return {.m = length,
          .n = length,
          .k = head_width,
          .count = 2 * 32,
          .work = Work::attention,
          .gradient = gradient,
          .attention = kernel,
          .head_width = head_width,
          .queries = 32 * length};
}

double rate(const PublishedKernels& published, const Gpu& gpu, const Operator& one) {
  return one.flop() / attention_seconds(published, gpu, one);
}

TEST(PublishedAttention, IsFasterByGenerationLengthAndWidthAndSlowerBackward) {
  const std::vector<std::tuple<std::string, Attention, Attention>> generations{
      {"A100", Attention::flash1, Attention::flash2},
      {"H100", Attention::flash1, Attention::flash2},
      {"B200", Attention::flash1, Attention::flash2},
      {"H100", Attention::flash2, Attention::flash3},
      {"B200", Attention::flash2, Attention::flash4},
      {"H200", Attention::flash2, Attention::cudnn}};
  for (const auto& [name, older, newer] : generations) {
    const auto published = published_for(name);
    const Gpu gpu = gpu_of(published->products);
    for (const Gradient gradient : {Gradient::none, Gradient::inputs}) {
      for (const Attention kernel : {older, newer}) {
        const double one = rate(*published, gpu, attention(kernel, 4096, 128, gradient));
        EXPECT_GT(rate(*published, gpu, attention(kernel, 8192, 128, gradient)), one);
        const double narrow = rate(*published, gpu, attention(kernel, 4096, 64, gradient));
        EXPECT_NEAR(narrow / one, published->attention_of(kernel).narrow, 1e-12) << name;
        EXPECT_LT(one, gpu.bf16.base());
      }
      EXPECT_LT(rate(*published, gpu, attention(older, 4096, 128, gradient)),
                rate(*published, gpu, attention(newer, 4096, 128, gradient)));
    }
    EXPECT_LT(rate(*published, gpu, attention(newer, 4096, 128, Gradient::inputs)),
              rate(*published, gpu, attention(newer, 4096, 128, Gradient::none)));
  }
}

// cuDNN on H200, cudnn-frontend @3929da2: 64 heads of 128, in TFLOP/s below the diagonal.
TEST(PublishedAttention, IsThatOfThePublishedRowsWithinTheirSpread) {
  const auto published = published_for("H200");
  const Gpu gpu = gpu_of(published->products);
  const auto of = [&](double length, Gradient gradient) {
    Operator one = attention(Attention::cudnn, length, 128, gradient);
    one.queries = 64 * length;
    return rate(*published, gpu, one) / 1e12;
  };
  for (const auto& [length, forward, backward] :
       {std::tuple{2048.0, 484.0, 370.0}, {8192.0, 644.0, 541.0}, {32768.0, 688.0, 581.0}}) {
    EXPECT_NEAR(of(length, Gradient::none) / forward, 1, 0.05) << length;
    EXPECT_NEAR(of(length, Gradient::inputs) / backward, 1, 0.05) << length;
  }
}

// FlashAttention 1 on H100, forward and backward: 16 heads of 128, 16k tokens in all, causal, in
// TFLOP/s below the diagonal (Dao-AILab/flash-attention, flash2_h100_fwd_bwd_benchmark.png).
TEST(PublishedAttention, OfFlash1OnH100IsThatOfItsFigure) {
  const auto published = published_for("H100");
  const Gpu gpu = gpu_of(published->products);
  for (const auto& [length, both] : {std::tuple{512.0, 98.0},
                                     {1024.0, 109.0},
                                     {2048.0, 108.0},
                                     {4096.0, 126.0},
                                     {8192.0, 135.0},
                                     {16384.0, 137.0}}) {
    double flop = 0, seconds = 0;
    for (const Gradient gradient : {Gradient::none, Gradient::inputs}) {
      Operator one = attention(Attention::flash1, length, 128, gradient);
      one.queries = 16 * 16384;
      const double work = gradient == Gradient::none ? 1 : 2.5;
      flop += work * one.flop();
      seconds += work * attention_seconds(*published, gpu, one);
    }
    EXPECT_NEAR(flop / seconds / 1e12 / both, 1, length < 4096 ? 0.13 : 0.04) << length;
  }
}

TEST(Roofline, TakesMeasuredProductsBeforePublishedOnesAndThoseBeforeThePeak) {
  Calibration table = roofline();
  table.published = published_for("H100");
  Gpu gpu = gpu_of(table.published->products);
  gpu.launch_latency = {};
  const Operator one = product(4096, 4096, 4096);
  const auto seconds = [&] { return Roofline(gpu, 1, table).block({one}).seconds; };
  const double published = product_seconds(*table.published, gpu, one);
  EXPECT_DOUBLE_EQ(seconds(), published);
  table.gpu = gpu.name;
  table.gemm = std::vector<GemmTime>{{one.m, one.n, one.k, 2 * published}};
  table.published = with_measured(table.published, table, gpu);
  EXPECT_NEAR(seconds(), 2 * published, 1e-12);
  table = roofline();
  EXPECT_LT(seconds(), published);
}

TEST(Roofline, TakesPublishedNormsAndCastsForSuchPassesAlone) {
  Calibration table = roofline();
  table.published = published_for("H100");
  Gpu gpu = gpu_of(table.published->products);
  const auto share = [&](Operator one) {
    one.bytes = 1e9;
    return one.bytes / gpu.memory_bandwidth.base() / Roofline(gpu, 1, table).block({one}).seconds;
  };
  EXPECT_NEAR(share({.work = Work::norm}), 0.78, 1e-9);
  EXPECT_NEAR(share({.work = Work::norm, .gradient = Gradient::inputs, .kernels = Kernels::eager}),
              0.43, 1e-9);
  EXPECT_NEAR(share({.precision = MatrixPrecision::fp8, .work = Work::cast}), 0.9, 1e-9);
  EXPECT_NEAR(share({.work = Work::activation}), 1, 1e-9);
}

// The shipped folder with one file changed.
std::string error_with(const std::string& name, const std::string& from, const std::string& to) {
  const fs::path folder = fs::temp_directory_path() / "gardenhose_published_test";
  fs::remove_all(folder);
  fs::create_directories(folder);
  for (const char* file : {"kernels.toml", "products_a100.csv"}) {
    std::string text = text_of(shipped_kernels() / file);
    if (file == name) {
      const auto at = text.find(from);
      EXPECT_NE(at, std::string::npos) << from;
      text.replace(at, from.size(), to);
    }
    std::ofstream(folder / file) << text;
  }
  return input_error_of([&] { static_cast<void>(read_published_kernels(folder, named("A100"))); });
}

TEST(Published, RefusesDamagedFilesAtAPlace) {
  EXPECT_EQ(error_with("", "", ""), "");
  EXPECT_NE(error_with("kernels.toml", "forward = ", "foreward = ").find("did you mean forward"),
            std::string::npos);
  EXPECT_NE(error_with("kernels.toml", "kernel = \"flash3\"", "kernel = \"flash2\"")
                .find("has no row of flash3"),
            std::string::npos);
  EXPECT_NE(error_with("kernels.toml", "die = \"h100\"", "die = \"h200\"")
                .find("'h200' is no row with a table of its own"),
            std::string::npos);
  EXPECT_NE(error_with("kernels.toml", "[0.78, 0.96]", "[0.78]").find("is not two shares"),
            std::string::npos);
  EXPECT_NE(error_with("products_a100.csv", "bf16,256,512,", "bf17,256,512,").find("'bf17'"),
            std::string::npos);
  EXPECT_NE(error_with("products_a100.csv", "bf16,256,512,", "bf16,257,512,").find("one line for"),
            std::string::npos);
}

}  // namespace
}  // namespace sim
