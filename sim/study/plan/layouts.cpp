// SPDX-License-Identifier: Apache-2.0
#include "sim/study/plan/layouts.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "sim/study/setup_options.hpp"
#include "sim/topology/topology.hpp"

namespace sim::study {
namespace {

std::vector<int> divisors(int whole) {
  std::vector<int> found;
  for (int value = 1; value <= whole; ++value) {
    if (whole % value == 0) found.push_back(value);
  }
  return found;
}

// Stages of a pipeline that may be tried. Layers that are alike and dense make stages that are alike only
// if they divide; others are divided by their work, which some stage has more of anyway.
std::vector<int> stage_counts(const Model& model) {
  if (is_uniform_and_dense(model)) return divisors(model.layers);
  std::vector<int> all(static_cast<std::size_t>(all_layers(model)));
  std::iota(all.begin(), all.end(), 1);
  return all;
}

// Chunks of such a stage.
std::vector<int> chunk_counts(const Model& model, int stages) {
  if (!is_uniform_and_dense(model)) {
    std::vector<int> all;
    for (int chunks = 1; stages * chunks <= all_layers(model); chunks *= 2) all.push_back(chunks);
    return all;
  }
  return model.layers % stages == 0 ? divisors(model.layers / stages) : std::vector{1};
}

// The values of a field to try: those that are listed, or the one that is given, or `usual`.
template <class V>
std::vector<V> values_of(const Job& job, const char* field, V Parallelism::*member,
                         std::vector<V> usual) {
  const auto listed = job.listed.find(field);
  if (listed != job.listed.end()) {
    usual.clear();
    for (const Parallelism& one : listed->second) usual.push_back(one.*member);
  } else if (job.given.contains(field)) {
    usual = {job.parallelism.*member};
  }
  return usual;
}

bool tries_stage(const Job& job, int stage) {
  const auto listed = job.listed.find("zero");
  if (listed == job.listed.end()) return !job.zero || stage == *job.zero;
  return std::ranges::any_of(listed->second,
                             [&](const Parallelism& one) { return one.sharding.stage == stage; });
}

// A scheme that works node by node needs as many replicas on every node.
bool is_by_node(const Scheme& scheme) {
  return scheme.gradients.algorithm->is_by_node || scheme.weights.secondary_shards;
}

// On one of the grounds.
Inside inside(const Ground& ground, const Scheme& scheme, const Parallelism& p) {
  return inside_of(ground.site(), {scheme, p});
}

// With nothing of its own if there is such a one: what it can run is asked as it is.
const Ground& plainest(std::span<const Ground> grounds) {
  const auto plain = std::ranges::find_if(
      grounds, [](const Ground& one) { return one.site().setup == SiteSetup{}; });
  return plain == grounds.end() ? grounds.front() : *plain;
}

class FrameSearch {
 public:
  FrameSearch(std::int64_t batch_tokens, std::span<const Ground> grounds,
              std::span<const Scheme> schemes)
      : batch_tokens_(batch_tokens),
        grounds_(grounds),
        first_(*grounds.front().job),
        scheme_(schemes.front()) {
    for (const Scheme& scheme : schemes) {
      for (const int stage : scheme.zero) {
        if (tries_stage(first_, stage)) (stage == 3 ? fsdp_ : below_) = true;
      }
    }
  }

  Frames find() && {
    int gpus = first_.cluster().gpus_per_node;
    for (const Ground& ground : grounds_) {
      gpus = std::min(gpus, ground.job->cluster().gpus_per_node);
    }
    Parallelism p = first_.parallelism;
    if (!fixed("gradient-precision")) p.gradients = Precision::bf16;  // the faster one
    const Parallelism& given = first_.parallelism;
    const auto tensors = is_own(&SiteSetup::tensor)
                             ? std::vector{given.tensor}
                             : values("tp", &Parallelism::tensor, divisors(gpus));
    const auto pipelines = is_own(&SiteSetup::pipeline)
                               ? std::vector{given.pipeline}
                               : values("pp", &Parallelism::pipeline, stage_counts(first_.model));
    for (const int tensor : tensors) {
      for (const int pipeline : pipelines) {
        p.tensor = tensor;
        p.pipeline = pipeline;
        p.virtual_stages = 1;
        add_contexts(p);
      }
    }
    return std::move(found_);
  }

 private:
  void add_contexts(Parallelism p) {
    std::vector<int> contexts{1};
    for (int parts = 2; first_.model.sequence / parts >= kLeastPartOfSequence; parts *= 2) {
      contexts.push_back(parts);
    }
    for (const int context : values("cp", &Parallelism::context, contexts)) {
      p.context = context;
      add_experts(p);
    }
  }

  // Whole experts, or as many parts of each as of dense weights.
  void add_experts(Parallelism p) {
    const Parallelism& given = first_.parallelism;
    const bool chooses = has_experts_to_choose(first_.model);
    std::vector<int> ranks{given.expert};
    if (chooses) ranks = divisors(first_.model.experts.count);
    std::vector<int> parts{given.expert_tensor};
    if (chooses && p.tensor > 1) parts = {0, 1};
    for (const int expert : values("ep", &Parallelism::expert, ranks)) {
      for (const int part : values("etp", &Parallelism::expert_tensor, parts)) {
        p.expert = expert;
        p.expert_tensor = part;
        if (may_be_possible(p)) add_orders(p);
      }
    }
  }

  // With the rest as it suits.
  [[nodiscard]] bool may_be_possible(Parallelism p) const {
    if (!fixed("sequence-parallel")) p.sequence_parallel = p.tensor > 1 && dispatches(p);
    return is_possible_when_fused(p);
  }
  // The software that comes with a stage may have fused attention.
  [[nodiscard]] bool is_possible_when_fused(Parallelism p) const {
    if (p.context > 1 && software_.attention) p.attention = Attention::fused;
    return is_possible(p);
  }

  [[nodiscard]] bool fixed(const char* field) const { return first_.given.contains(field); }
  template <class V>
  [[nodiscard]] std::vector<V> values(const char* field, V Parallelism::*member,
                                      std::vector<V> usual) const {
    return values_of(first_, field, member, std::move(usual));
  }

  // Whether every site has the field as its own, so that nothing is left to choose.
  [[nodiscard]] bool is_own(std::optional<int> SiteSetup::*field) const {
    return std::ranges::all_of(
        grounds_, [&](const Ground& one) { return (one.site().setup.*field).has_value(); });
  }
  [[nodiscard]] Parallelism at(const Ground& ground, const Parallelism& p) const {
    return inside(ground, scheme_, p).parallelism;
  }
  [[nodiscard]] bool all(const auto& holds) const { return std::ranges::all_of(grounds_, holds); }
  [[nodiscard]] bool is_possible(const Parallelism& p) const {
    return all([&](const Ground& one) {
      return problems(one.job->cluster(), one.job->model, at(one, p)).empty();
    });
  }
  [[nodiscard]] bool is_held(const Parallelism& p) const {
    return all([&](const Ground& one) {
      return study::is_held(one.job->cluster(), one.job->model, at(one, p));
    });
  }

  // Behind one switch all GPUs are neighbours, and one replica has no others.
  [[nodiscard]] bool placement_matters(const Parallelism& p) const {
    return std::ranges::any_of(grounds_, [&](const Ground& one) {
      const Cluster& cluster = one.job->cluster();
      return holders(cluster, at(one, p)) > 1 && (cluster.nodes > 1 || joins_pairs(cluster));
    });
  }

  // Chunks of pipeline stages, sequence parallelism, and which groups are neighbours: tensor-parallel
  // ranks, then replicas or pipeline stages.
  void add_orders(const Parallelism& p) {
    const Parallelism& given = first_.parallelism;
    const auto chunks =
        values("virtual-stages", &Parallelism::virtual_stages,
               p.pipeline > 1 ? chunk_counts(first_.model, p.pipeline) : std::vector{1});
    std::vector<bool> sequences{false};
    if (fixed("sequence-parallel")) {
      sequences = {given.sequence_parallel};
    } else if (p.tensor > 1) {
      sequences = {true, false};
    }
    std::vector placements{given.placement};
    if (!fixed("placement") && p.pipeline > 1 && placement_matters(p)) {
      placements.push_back({&axes::tensor, &axes::pipeline, &axes::data});
    }
    Parallelism ordered = p;
    for (const auto& placement : placements) {
      ordered.placement = placement;
      for (const int chunk : chunks) {
        ordered.virtual_stages = chunk;
        for (const bool sequence : sequences) {
          ordered.sequence_parallel = sequence;
          if (is_possible_when_fused(ordered)) add_splits(ordered);
        }
      }
    }
  }

  void add_splits(const Parallelism& p) {
    std::int64_t pass = 0;  // tokens of a micro-batch of one sequence in every replica
    for (const Ground& ground : grounds_) {
      pass += std::int64_t{ground.count} * replicas(ground.job->cluster(), at(ground, p)) *
              first_.model.sequence;
    }
    const std::int64_t passes = (batch_tokens_ - 1) / pass + 1;
    if (passes > std::numeric_limits<int>::max()) {
      ++found_.not_held;
      return;
    }
    const bool one = is_own(&SiteSetup::micro_batch) && is_own(&SiteSetup::accumulation);
    Parallelism split = p;
    for (int count = 1; count <= passes; ++count) {
      split.accumulation = count;
      if (!is_held(split)) break;
      if (passes % count != 0 || (one && count < passes)) continue;
      split.micro_batch = static_cast<int>(passes / count);
      const auto sizes =
          values("micro-batch", &Parallelism::micro_batch, std::vector{split.micro_batch});
      if (std::ranges::find(sizes, split.micro_batch) == sizes.end()) continue;
      for (const int stage : {1, 3}) {
        if (stage == 3 ? fsdp_ : below_) add_recomputes(at_stage(split, stage, software_));
      }
    }
    split.accumulation = static_cast<int>(passes);
    if (!is_held(split)) ++found_.not_held;
  }

  void add_recomputes(Parallelism p) {
    for (const Recompute recompute :
         values("recompute", &Parallelism::recompute, recomputations(first_, p))) {
      p.recompute = recompute;
      if (is_possible(p)) found_.all.push_back(p);
    }
  }

  const std::int64_t batch_tokens_;
  const std::span<const Ground> grounds_;
  const Job& first_;
  const Scheme& scheme_;
  const OpenSoftware software_ = chosen_software(first_);
  bool fsdp_ = false, below_ = false;  // stages that some scheme is defined for
  Frames found_;
};

// Gradients in BF16 and FP32, and weights that stay after the forward pass.
void add_forms(const Job& job, std::size_t scheme, const Parallelism& sharded,
               std::vector<Layout>& layouts) {
  const Parallelism& given = job.parallelism;
  std::vector precisions{Precision::bf16, Precision::fp32};
  if (job.given.contains("gradient-precision")) precisions = {given.gradients};
  std::vector reshards{true, false};
  const bool gathers = sharded.sharding.stage == 3 && holders(job.cluster(), sharded) > 1;
  if (!gathers || job.given.contains("reshard")) {
    reshards = {given.sharding.reshard_after_forward};
  }
  Layout layout{.scheme = scheme, .parallelism = sharded};
  for (const Precision precision : precisions) {
    for (const bool reshard : reshards) {
      layout.parallelism.gradients = precision;
      layout.parallelism.sharding.reshard_after_forward = reshard;
      layouts.push_back(layout);
    }
  }
}

}  // namespace

Frames frames_of(std::int64_t batch_tokens, std::span<const Ground> grounds,
                 std::span<const Scheme> schemes) {
  return FrameSearch(batch_tokens, grounds, schemes).find();
}

std::vector<Layout> layouts_of(std::span<const Ground> grounds, std::span<const Scheme> schemes,
                               const Parallelism& frame) {
  const Job& first = *plainest(grounds).job;
  const auto by_node_possible = [&](const Scheme& scheme) {
    return std::ranges::all_of(grounds, [&](const Ground& one) {
      const Inside at = inside(one, scheme, frame);
      return !is_by_node(at.scheme) || has_even_holders(one.job->cluster(), at.parallelism);
    });
  };
  const auto possible = [&](const Scheme& scheme, const Parallelism& p) {
    return std::ranges::all_of(grounds, [&](const Ground& one) {
      const auto [own, parallelism] = inside(one, scheme, p);
      return problems(one.job->context({own, parallelism}), own).empty();
    });
  };
  std::vector<Layout> layouts;
  for (std::size_t i = 0; i < schemes.size(); ++i) {
    if (!by_node_possible(schemes[i])) continue;
    for (const int stage : schemes[i].zero) {
      if ((stage == 3) != (frame.sharding.stage == 3)) continue;
      if (!tries_stage(first, stage)) continue;
      Parallelism staged = frame;
      staged.sharding.stage = stage;
      for (const Parallelism& form : sharding_forms(first, schemes[i], staged)) {
        if (possible(schemes[i], form)) add_forms(first, i, form, layouts);
      }
    }
  }
  return layouts;
}

}  // namespace sim::study
