#include "sim/validation/predict.hpp"

#include <algorithm>

#include "sim/cluster/fabric.hpp"
#include "sim/engine/simulate.hpp"
#include "sim/report/report.hpp"
#include "sim/schemes/plan_step.hpp"

namespace sim::validation {
namespace {

struct Case {
  Cluster cluster;
  const Model& model;
  Parallelism parallelism;
  Scheme scheme;
};

Case case_of(const Inputs& inputs, const Setup& setup) {
  const Cluster& whole = inputs.clusters.at(setup.cluster);
  Case one{
      .cluster = part_of(whole, setup.nodes > 0 ? setup.nodes : whole.nodes, whole.gpus_per_node),
      .model = inputs.models.at(setup.model),
      .parallelism = {.tensor = setup.tensor, .pipeline = setup.pipeline},
      .scheme = scheme_named(setup.scheme)};
  if (one.scheme.gradients.algorithm == GradientExchange::Algorithm::two_level) {
    one.scheme.gradients.slices = setup.slices;
  }
  return one;
}

// Bytes per second out of a node when `communicators` of it send at once.
double node_rate(const Cluster& cluster, double communicators) {
  const double nics = cluster.network.nics_per_node * nic_rate(cluster).base();
  const auto cap = cluster.fitted.communicator_bandwidth;
  return cap ? std::min(nics, communicators * cap->base()) : nics;
}

// Bytes per second out of a GPU inside its node.
double gpu_rate(const Cluster& cluster) {
  const bool mesh = cluster.nvlink.kind == Nvlink::Kind::full_mesh;
  return nvlink_rate(cluster).base() * (mesh ? cluster.gpus_per_node - 1 : 1);
}

// A ring moves on both levels at once; two levels follow each other.
double phase_seconds(const Case& one, const WireBytes& wire, bool ring) {
  const double gpus = one.cluster.gpus_per_node;
  const auto over = [](double bytes, double rate) { return bytes > 0 ? bytes / rate : 0; };
  const double communicators = ring ? std::min<double>(gpus, one.parallelism.tensor) : gpus;
  const double inside = over(wire.intra_node, gpu_rate(one.cluster));
  const double between = over(wire.inter_node * gpus, node_rate(one.cluster, communicators));
  return ring ? std::max(inside, between) : inside + between;
}

}  // namespace

Inputs read_inputs(const std::filesystem::path& folder,
                   const std::vector<Measurement>& measurements) {
  Inputs inputs;
  const Calibration published =
      read_calibration(folder / "traces" / "calibration" / "a100_sdp4bit_published.json");
  for (const Measurement& one : measurements) {
    const Setup& setup = one.setup;
    if (!inputs.clusters.contains(setup.cluster)) {
      const Cluster cluster = read_cluster(folder / "topologies" / (setup.cluster + ".toml"));
      inputs.calibrations[setup.cluster] =
          published.gpu == cluster.gpu.name ? published : roofline();
      inputs.clusters[setup.cluster] = cluster;
    }
    if (!inputs.models.contains(setup.model)) {
      inputs.models[setup.model] =
          read_model(folder / "traces" / "models" / (setup.model + ".toml"));
    }
  }
  return inputs;
}

Prediction predict(const Inputs& inputs, const Setup& setup) {
  const Case one = case_of(inputs, setup);
  const StepContext context{one.cluster, one.model, inputs.calibrations.at(setup.cluster),
                            one.parallelism, Detail::folded};
  const Schedule schedule = plan_step(context, one.scheme);
  const Timeline timeline = simulate(schedule, one.cluster);
  const StepReport report = summarize(context, one.scheme, schedule, timeline);
  return {report.tflops_per_gpu, report.gradient_exchange_s * 1e3};
}

Prediction predict_null(const Inputs& inputs, const Setup& setup) {
  const Case one = case_of(inputs, setup);
  const StepContext context{one.cluster, one.model, inputs.calibrations.at(setup.cluster),
                            one.parallelism, Detail::folded};
  const Schedule schedule = plan_step(context, one.scheme);
  const auto wire = [&](Phase phase) {
    const SentBytes sent = sent_bytes(schedule, phase);
    WireBytes mean;
    for (const double bytes : sent.intra_node) mean.intra_node += bytes / schedule.ranks;
    for (const double bytes : sent.inter_node) mean.inter_node += bytes / schedule.ranks;
    return mean;
  };
  const bool ring = one.scheme.gradients.algorithm == GradientExchange::Algorithm::ring;
  const double gradients_s = phase_seconds(one, wire(Phase::gradient_comm), ring);
  const double communication_s = gradients_s + phase_seconds(one, wire(Phase::weight_comm), true) +
                                 phase_seconds(one, wire(Phase::tensor_comm), true) +
                                 phase_seconds(one, wire(Phase::pipeline_comm), true);
  const double flop = model_flop(one.model, global_batch(one.cluster, one.parallelism)).base() /
                      rank_count(one.cluster);
  const double compute_s =
      flop / (one.cluster.gpu.bf16.base() * one.cluster.fitted.compute_efficiency.value_or(1));
  return {flop / (compute_s + communication_s) / 1e12, gradients_s * 1e3};
}

}  // namespace sim::validation
