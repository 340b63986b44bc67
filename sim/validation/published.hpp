// SPDX-License-Identifier: Apache-2.0
// Published measurements, row by row, with the job of each.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/workload/parallelism.hpp"

namespace sim::validation {

// The measured job, at the model's own sequence. A default Parallelism is SDP4Bit's: micro-batch 1,
// accumulation 1, selective recomputation, FP32 gradients, no overlap.
struct Setup {
  std::string cluster;  // topologies/<cluster>.toml
  std::string model;    // traces/models/<model>.toml
  std::string scheme;
  int nodes = 0;  // 0: all
  Parallelism parallelism = {};
  int slices = 1;  // of a two-level scheme
};

enum class Metric { tflops_per_gpu, gradient_exchange_ms, tokens_per_s_per_gpu };

struct Measurement {
  std::string row;  // "sdp4bit_throughput/a100/gpt_1.3b/sharded"
  Setup setup;
  Metric metric = Metric::tflops_per_gpu;
  double value = 0;
};

// SDP4Bit (arXiv 2410.15526), table 2: baseline and SDP4Bit of five models on two clusters.
[[nodiscard]] std::vector<Measurement> read_throughput(const std::filesystem::path& file);
// Its table 4: five strategies of GPT 1.3B on 8 nodes of 4 A100, with the time of the gradient
// exchange and the throughput.
[[nodiscard]] std::vector<Measurement> read_gradient_comm(const std::filesystem::path& file);

}  // namespace sim::validation
