#include "sim/workload/parallelism.hpp"

#include <fmt/format.h>

#include "sim/base/error.hpp"
#include "sim/cluster/fabric.hpp"

namespace sim {

int data_parallel(const Cluster& cluster, const Parallelism& parallelism) {
  return rank_count(cluster) / (parallelism.tensor * parallelism.pipeline);
}

std::int64_t global_batch(const Cluster& cluster, const Parallelism& parallelism) {
  return std::int64_t{data_parallel(cluster, parallelism)} * parallelism.micro_batch *
         parallelism.accumulation;
}

void check(const Cluster& cluster, const Model& model, const Parallelism& p) {
  std::string problems;
  const auto problem = [&](const std::string& line) {
    if (!problems.empty()) problems += '\n';
    problems += line;
  };
  const auto must_divide = [&](const char* flag, int value, int whole, const char* what) {
    if (value < 1 || whole % value != 0) {
      problem(fmt::format("{}: {} does not divide the {} {} of {}; choose a divisor", flag, value,
                          whole, what, model.name));
    }
  };
  const int ranks = rank_count(cluster);
  must_divide("--tp", p.tensor, model.heads, "attention heads");
  must_divide("--tp", p.tensor, model.kv_heads, "key-value heads");
  must_divide("--tp", p.tensor, model.feed_forward, "feed-forward columns");
  must_divide("--tp", p.tensor, model.vocabulary, "vocabulary entries");
  if (p.sequence_parallel) must_divide("--tp", p.tensor, model.sequence, "tokens of a sequence");
  must_divide("--pp", p.pipeline, model.layers, "layers");
  if (p.tensor > cluster.gpus_per_node) {
    problem(
        fmt::format("--tp: {} is more than the {} GPUs of a node of {}; tensor parallelism "
                    "stays inside a node",
                    p.tensor, cluster.gpus_per_node, cluster.name));
  } else if (p.tensor > 0 && cluster.gpus_per_node % p.tensor != 0) {
    problem(fmt::format("--tp: {} does not divide the {} GPUs of a node of {}; choose a divisor",
                        p.tensor, cluster.gpus_per_node, cluster.name));
  }
  if (ranks % (std::int64_t{p.tensor} * p.pipeline) != 0) {
    problem(
        fmt::format("--pp: {} x tp {} does not divide the {} GPUs; choose other --nodes, --tp "
                    "or --pp",
                    p.pipeline, p.tensor, ranks));
  }
  if (!problems.empty()) throw InputError(problems);
}

int rank_of(const Cluster& cluster, const Parallelism& parallelism, const Place& place) {
  const int data = data_parallel(cluster, parallelism);
  return (place.stage * data + place.replica) * parallelism.tensor + place.tensor;
}

StageParameters stage_parameters(const Model& model, const Parallelism& p, int stage) {
  const ParameterCount count = parameter_count(model);
  const double tensor = p.tensor;
  const bool last = stage == p.pipeline - 1;
  StageParameters held{.layer = static_cast<double>(count.layer_sharded) / tensor +
                                static_cast<double>(count.layer_replicated),
                       .layers = model.layers / p.pipeline};
  const double words = static_cast<double>(count.embedding) / tensor;
  if (stage == 0) held.embedding = words + static_cast<double>(count.positions);
  if (last) {
    held.head = static_cast<double>(count.final_norm);
    // A tied head is the embedding itself, of which another stage needs a copy.
    if (!model.tied_embeddings || p.pipeline > 1) held.head += words;
  }
  return held;
}

}  // namespace sim
