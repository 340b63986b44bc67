// SPDX-License-Identifier: Apache-2.0
// A small training step for tests: one model, and what the tests ask of a step of it.
#pragma once

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "sim/engine/simulate.hpp"
#include "sim/program/plan_step.hpp"
#include "tests/schedule/sample_cluster.hpp"
#include "tests/schedule/whole_step.hpp"

namespace sim {

// 2 layers of 12 h^2 weights and 2 norms of h, a tied vocabulary and a last norm, with h = 512:
// 13 * 2^19 parameters, so that they split into shards, slices and groups without padding.
inline Model sample_model() {
  return {.name = "sample",
          .summary = "",
          .layers = 2,
          .hidden = 512,
          .heads = 8,
          .head_width = 64,
          .kv_heads = 8,
          .feed_forward = 2048,
          .feed_forward_kind = Model::FeedForward::gelu,
          .norm = Model::Norm::rms_norm,
          .positions = Model::Positions::rotary,
          .biases = Model::Biases::none,
          .dropout = false,
          .tied_embeddings = true,
          .vocabulary = 1024 - 5,
          .sequence = 128};
}
inline constexpr double kSampleParameters = 13 * 524288;

// Two stages of two layers each, with a vocabulary that two tensor-parallel ranks can split.
inline Model deep_model() {
  Model model = sample_model();
  model.layers = 4;
  model.vocabulary = 1024;
  return model;
}

// Nodes of four GPUs with a NIC each, unless said otherwise.
inline Cluster small_cluster(int nodes = 2, int gpus = 4) {
  return sample_cluster({.nodes = nodes, .gpus = gpus, .nics = gpus});
}

// Neither latencies nor launches: a step is its bytes and its kernels.
inline Cluster without_fixed_times(Cluster cluster) {
  for (Seconds* fixed :
       {&cluster.nvlink.latency, &cluster.network.latency, &cluster.network.switch_latency,
        &cluster.collectives.launch, &cluster.gpu.launch_latency}) {
    *fixed = 0_s;
  }
  return cluster;
}

inline Schedule plan(const Cluster& cluster, const Model& model, const Parallelism& parallelism,
                     const Scheme& scheme, Detail detail = Detail::folded) {
  const Calibration calibration = roofline();
  return whole_step({cluster, model, calibration, parallelism, detail}, scheme);
}

inline double step_time(const Cluster& cluster, const Model& model, const Parallelism& parallelism,
                        const Scheme& scheme, Detail detail = Detail::folded) {
  return simulate(plan(cluster, model, parallelism, scheme, detail), cluster).makespan_s;
}

inline double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Seconds of the work that `counts` accepts on a rank, as if nothing ran beside it.
template <class Counts>
double work_seconds(const Schedule& schedule, int rank, Counts counts) {
  double seconds = 0;
  for (const Operation& operation : schedule.operations) {
    if (operation.kind != OperationKind::work || operation.rank != rank) continue;
    if (counts(operation)) seconds += operation.seconds;
  }
  return seconds;
}
inline double work_seconds(const Schedule& schedule, int rank, Phase phase) {
  return work_seconds(schedule, rank, [&](const Operation& one) { return one.phase == phase; });
}

inline constexpr Overlap kOverlapAll{.gradients = true, .weights = true, .tensor = true};

// At the stage of ZeRO that is asked for, or the one that the scheme is defined for.
inline Parallelism defined(const Scheme& scheme, Parallelism parallelism = {}) {
  if (!scheme.is_defined_for(parallelism.sharding.stage)) {
    parallelism.sharding.stage = scheme.zero.front();
  }
  return parallelism;
}

// Fixture of the laws that hold for every row of the registry.
class EveryScheme : public testing::TestWithParam<const Scheme*> {
 protected:
  [[nodiscard]] static const Scheme& scheme() { return *GetParam(); }
  [[nodiscard]] static const Scheme& twin() { return scheme_named(GetParam()->twin); }
};

inline std::vector<const Scheme*> scheme_rows() {
  return {all_schemes(SchemeKind::inside).begin(), all_schemes(SchemeKind::inside).end()};
}
// The rows for which a law holds.
inline std::vector<const Scheme*> scheme_rows(bool (*obeys)(const Scheme&)) {
  std::vector<const Scheme*> rows = scheme_rows();
  std::erase_if(rows, [&](const Scheme* row) { return !obeys(*row); });
  return rows;
}
inline std::string scheme_label(const testing::TestParamInfo<const Scheme*>& row) {
  return std::string(row.param->name);
}

}  // namespace sim
