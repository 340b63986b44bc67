#include "apps/job.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "apps/arguments.hpp"
#include "apps/data_files.hpp"
#include "sim/base/error.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/cluster/fabric.hpp"

namespace apps {
namespace {

namespace po = boost::program_options;
using sim::InputError;

template <class E>
struct Choice {
  const char* name;
  E value;
};

template <class E, std::size_t N>
E chosen(const char* flag, const std::string& text, const Choice<E> (&choices)[N]) {
  std::string known;
  for (const auto& choice : choices) {
    if (text == choice.name) return choice.value;
    known += (known.empty() ? "" : ", ") + std::string(choice.name);
  }
  throw InputError(fmt::format("{}: '{}' is none of the known: {}", flag, text, known));
}

sim::Overlap overlap_of(const std::string& text) {
  sim::Overlap overlap;
  for (const std::string& part : split(text)) {
    if (part == "none") continue;
    const bool all = part == "all";
    const bool known = all || part == "gradients" || part == "weights" || part == "tensor";
    if (!known) {
      throw InputError(fmt::format(
          "--overlap: '{}' is none of the known: none, gradients, weights, tensor, all", part));
    }
    overlap.gradients = overlap.gradients || all || part == "gradients";
    overlap.weights = overlap.weights || all || part == "weights";
    overlap.tensor = overlap.tensor || all || part == "tensor";
  }
  return overlap;
}

// A flag that counts: given, it is at least 1. Not given, the option keeps what it has.
template <class Integer>
po::typed_value<Integer>* count(const char* flag, Integer& option) {
  return po::value(&option)->notifier([flag](Integer given) {
    if (given < 1) throw InputError(fmt::format("{}: {} is less than 1", flag, given));
  });
}

sim::Cluster read_cluster_part(const JobOptions& options,
                               const std::vector<sim::Setting>& settings) {
  sim::Cluster cluster = sim::read_cluster(data_file(Kind::topology, options.topology), settings);
  const auto part = [&](const char* flag, int given, int available, const char* what) {
    if (given == 0) return available;
    if (given > available) {
      throw InputError(fmt::format("{}: {} is more than the {} {} of {}", flag, given, available,
                                   what, cluster.name));
    }
    return given;
  };
  const int nodes = part("--nodes", options.nodes, cluster.nodes, "nodes");
  const int gpus =
      part("--gpus-per-node", options.gpus_per_node, cluster.gpus_per_node, "GPUs of a node");
  return sim::part_of(std::move(cluster), nodes, gpus);
}

}  // namespace

SortedSettings sort_settings(const JobOptions& options) {
  SortedSettings settings;
  for (const std::string& text : options.settings) {
    const auto equals = text.find('=');
    const std::string key = text.substr(0, equals);
    if (equals == std::string::npos || key.empty()) {
      throw InputError(
          fmt::format("--set: '{}' is not KEY=VALUE; write e.g. "
                      "--set network.nic_bandwidth=\"200 Gbps\"",
                      sim::printable(text)));
    }
    const std::string table = key.substr(0, key.find('.'));
    auto& into = table == "model"    ? settings.model
                 : table == "scheme" ? settings.scheme
                                     : settings.topology;
    into.push_back({key, text.substr(equals + 1)});
  }
  if (options.sequence != 0) {
    settings.model.push_back({"model.sequence", std::to_string(options.sequence)});
  }
  return settings;
}

sim::Model read_model(const JobOptions& options, const SortedSettings& settings) {
  return sim::read_model(data_file(Kind::model, options.model), settings.model);
}

sim::Parallelism parallelism_of(const JobOptions& options) {
  sim::Parallelism p;
  p.tensor = options.tensor;
  p.pipeline = options.pipeline;
  p.micro_batch = options.micro_batch;
  p.sequence_parallel = chosen<bool>("--sequence-parallel", options.sequence_parallel,
                                     {{"off", false}, {"on", true}});
  p.recompute = chosen<sim::Recompute>("--recompute", options.recompute,
                                       {{"none", sim::Recompute::none},
                                        {"selective", sim::Recompute::selective},
                                        {"full", sim::Recompute::full}});
  p.attention = chosen<sim::Attention>(
      "--attention", options.attention,
      {{"unfused", sim::Attention::unfused}, {"fused", sim::Attention::fused}});
  p.gradients =
      chosen<sim::Precision>("--gradient-precision", options.gradient_precision,
                             {{"fp32", sim::Precision::fp32}, {"bf16", sim::Precision::bf16}});
  p.overlap = overlap_of(options.overlap);
  const auto bucket = sim::parse_quantity<sim::Bytes>(options.bucket_size);
  if (!bucket.value || bucket.value->count < 1) {
    throw InputError("--bucket-size: " + (bucket.value ? "is 0; write more" : bucket.problem));
  }
  p.bucket = *bucket.value;
  return p;
}

// Planned, a layer takes some 400 bytes.
void check_size(const JobOptions& options, const sim::Cluster& cluster, const sim::Model& model,
                const sim::Parallelism& parallelism) {
  constexpr double kMostLayers = 1 << 24;
  const int gpus = sim::rank_count(cluster);
  const int layers = model.layers / parallelism.pipeline;
  if (static_cast<double>(parallelism.accumulation) * gpus * layers <= kMostLayers) return;
  const char* flag = options.global_batch != 0   ? "--global-batch"
                     : options.accumulation != 0 ? "--accumulation"
                                                 : "--nodes";
  throw InputError(
      fmt::format("{}: {} GPUs x {} layers x {} micro-batches are more than a simulation holds; "
                  "their product is to be at most {:.0f}",
                  flag, gpus, layers, parallelism.accumulation, kMostLayers));
}

int accumulation_of(const JobOptions& options, int replicas) {
  if (options.accumulation != 0 && options.global_batch != 0) {
    throw InputError("--global-batch: says the same as --accumulation; give one of them");
  }
  if (options.global_batch == 0) return options.accumulation == 0 ? 1 : options.accumulation;
  const std::int64_t pass = std::int64_t{options.micro_batch} * replicas;
  if (options.global_batch < pass || options.global_batch % pass != 0) {
    throw InputError(fmt::format(
        "--global-batch: {} is not a multiple of the {} sequences of one pass (micro-batch {} x {} "
        "replicas)",
        options.global_batch, pass, options.micro_batch, replicas));
  }
  constexpr std::int64_t kMost = std::numeric_limits<int>::max();
  return static_cast<int>(std::min(options.global_batch / pass, kMost));
}

po::options_description job_flags(JobOptions& o) {
  po::options_description flags("What is simulated");
  auto add = flags.add_options();
  add("topology", po::value(&o.topology)->required(),
      "cluster: a shipped name (see list) or a file");
  add("model", po::value(&o.model)->required(),
      "model: a shipped name, a file, or a config.json of Hugging Face");
  add("scheme", po::value<std::string>()->default_value("sharded"),
      "how weights and gradients travel; several with commas compare them");
  add("nodes", count("--nodes", o.nodes), "use the first NODES nodes (default: all)");
  add("gpus-per-node", count("--gpus-per-node", o.gpus_per_node),
      "use the first GPUs of each node (default: all)");
  add("tp", count("--tp", o.tensor)->default_value(1), "tensor parallelism");
  add("pp", count("--pp", o.pipeline)->default_value(1), "pipeline stages, 1F1B");
  add("micro-batch", count("--micro-batch", o.micro_batch)->default_value(1),
      "sequences of one pass");
  add("accumulation", count("--accumulation", o.accumulation),
      "micro-batches of a step and replica (default 1)");
  add("global-batch", count("--global-batch", o.global_batch),
      "sequences of a step; instead of --accumulation");
  add("sequence", count("--sequence", o.sequence), "tokens of a sequence (default: the model's)");
  add("sequence-parallel", po::value(&o.sequence_parallel)->default_value("off"),
      "on|off: split norms and dropouts over the tensor-parallel ranks");
  add("recompute", po::value(&o.recompute)->default_value("selective"),
      "none|selective|full: what the backward pass computes again");
  add("attention", po::value(&o.attention)->default_value("unfused"),
      "unfused|fused: whether scores pass through memory");
  add("gradient-precision", po::value(&o.gradient_precision)->default_value("fp32"),
      "fp32|bf16: of the gradient buffer and of uncompressed reductions");
  add("overlap", po::value(&o.overlap)->default_value("none"),
      "none|gradients|weights|tensor|all, with commas: what runs beside compute");
  add("bucket-size", po::value(&o.bucket_size)->default_value("160 MiB"),
      "gradients that travel together where something overlaps");
  add("calibration", po::value(&o.calibration)->default_value("auto"),
      "kernel times: auto, roofline, a shipped name or a file");
  add("step-by-step", po::bool_switch(&o.step_by_step),
      "simulate each ring step and each pair on its own (slow; a check of the folded form)");
  add("set", po::value(&o.settings)->composing(),
      "KEY=VALUE for any key of an input file: network.nic_bandwidth=\"200 Gbps\", "
      "model.layers=12, "
      "scheme.inter_group=512");
  return flags;
}

sim::Calibration calibration_for(const sim::Gpu& gpu, const std::string& name) {
  if (name == "roofline") return sim::roofline();
  if (name != "auto") return sim::read_calibration(data_file(Kind::calibration, name));
  std::optional<sim::Calibration> best;
  int best_rank = 0;
  for (const auto& file : shipped_files(Kind::calibration)) {
    sim::Calibration table = sim::read_calibration(file);
    const bool measured = table.kind == "measured";
    const int rank = (table.gpu == gpu.name ? 2 : 0) + (measured ? 1 : 0);
    if (rank > best_rank) {
      best = std::move(table);
      best_rank = rank;
    }
  }
  return best ? *std::move(best) : sim::roofline();
}

sim::Gpu measured_gpu(const sim::Gpu& sheet, const sim::Calibration& calibration,
                      const std::vector<sim::Setting>& settings) {
  sim::Gpu gpu = sim::as_measured(sheet, calibration);
  for (const sim::Setting& setting : settings) {
    if (setting.key == "gpu.memory_efficiency") gpu.memory_efficiency = sheet.memory_efficiency;
    if (setting.key == "gpu.launch_latency") gpu.launch_latency = sheet.launch_latency;
  }
  return gpu;
}

Job read_job(const JobOptions& options) {
  const SortedSettings settings = sort_settings(options);
  Job job{.cluster = read_cluster_part(options, settings.topology),
          .model = read_model(options, settings)};
  job.calibration = calibration_for(job.cluster.gpu, options.calibration);
  job.cluster.gpu = measured_gpu(job.cluster.gpu, job.calibration, settings.topology);
  job.parallelism = parallelism_of(options);
  sim::check(job.cluster, job.model, job.parallelism);
  job.parallelism.accumulation =
      accumulation_of(options, sim::data_parallel(job.cluster, job.parallelism));
  check_size(options, job.cluster, job.model, job.parallelism);
  job.detail = options.step_by_step ? sim::Detail::step_by_step : sim::Detail::folded;
  job.scheme_settings = settings.scheme;
  for (const std::string& name : options.schemes) {
    job.schemes.push_back(sim::with_settings(sim::scheme_named(name), settings.scheme));
  }
  return job;
}

}  // namespace apps
