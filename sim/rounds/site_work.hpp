// SPDX-License-Identifier: Apache-2.0
// From a model on a site's cluster to the site's work in a round: its inner step, simulated on its
// own fabric, and the kernels and bytes of an exchange.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/program/kernels_of.hpp"
#include "sim/program/plan_step.hpp"
#include "sim/rounds/site_setup.hpp"
#include "sim/sites/plan_round.hpp"
#include "sim/workload/memory.hpp"

namespace sim {

class InnerSteps;

struct RoundContext {
  const WideArea& area;
  const Model& model;
  std::span<const Calibration> calibrations;  // by table of sites, for its GPU
  Parallelism parallelism;  // inside the sites, but for keys of their own; as is the scheme
  const Scheme& inner;
  bool whole = false;           // StepContext::whole, RoundShape::whole
  InnerSteps* known = nullptr;  // to simulate each inner step once
  // By table of sites, instead of the area's: where the work is divided (sim/rounds/balance.hpp).
  std::vector<SiteSetup> setups = {};

  [[nodiscard]] const SiteSetup& setup(std::size_t table) const {
    return setups.empty() ? area.sites[table].setup : setups[table];
  }
  [[nodiscard]] Inside of_job() const { return {inner, parallelism}; }
  [[nodiscard]] Inside inside(std::size_t table) const {
    return inside_of(area.sites[table].name, setup(table), of_job());
  }
  [[nodiscard]] const Scheme& inner_at(std::size_t table) const { return inside(table).scheme; }
  [[nodiscard]] Parallelism parallelism_at(std::size_t table) const {
    return inside(table).parallelism;
  }
  [[nodiscard]] StepContext step(std::size_t table) const {
    return {.cluster = area.sites[table].cluster,
            .model = model,
            .calibration = calibrations[table],
            .parallelism = parallelism_at(table),
            .whole = whole};
  }
};

// Why the sites cannot run the scheme, on one line; empty if they can.
[[nodiscard]] std::string problem(const RoundContext& context, const Scheme& scheme);
// Most sites of the area's one table that the scheme is simulated for: fewer where none stands for others.
[[nodiscard]] int most_sites(const RoundContext& context, const Scheme& scheme);
// Throws InputError if there is a problem, or if a site cannot run its inner steps (see
// problems()).
void check(const RoundContext& context, const Scheme& scheme);

// Times, ascending, at which so many equal parts of a payload are complete, from those of its equally
// large pieces, of which there may be fewer than parts.
[[nodiscard]] std::vector<double> ready_parts(std::vector<double> pieces_s, std::size_t parts);

// One inner step of the sites of a table.
struct InnerStep {
  double seconds = 0;
  double slowdown = 1;      // beside the most traffic that the site's access carries
  double slowdown_Bps = 0;  // that traffic, in and out alike
  std::vector<double>
      ready_s;          // gradients: when each of equal parts, as many as buckets, is reduced
  double needed_s = 0;  // gradients: when the update begins
};
// Traffic to other sites beside the step: none for a scheme that sends between steps.
struct OuterTraffic {
  double rate_Bps = 0;  // of the site, in and out alike
  int channels = 0;     // on each GPU
  bool operator==(const OuterTraffic&) const = default;
};
[[nodiscard]] OuterTraffic outer_traffic(const RoundContext& context, std::size_t table,
                                         const Scheme& scheme);
[[nodiscard]] InnerStep inner_step(const RoundContext& context, std::size_t table,
                                   const Scheme& scheme);
// For every table, those of the context that are known included. Checks the context.
[[nodiscard]] std::vector<InnerStep> inner_steps(const RoundContext& context, const Scheme& scheme);

// Elements of a fragment that one GPU exchanges, and the number of the site's GPUs with this size.
struct ShardSize {
  std::size_t elements = 0;
  int gpus = 0;
};
[[nodiscard]] std::vector<ShardSize> shard_sizes(const RoundContext& context, std::size_t table,
                                                 int fragments);

// Bytes that one site of the table sends in a whole round, whole to one receiver.
[[nodiscard]] double whole_bytes(const RoundContext& context, std::size_t table,
                                 const Scheme& scheme);

// Bytes on one GPU of the table's sites, and on the host of one node, with one scheme between the
// sites after another. The context's calibrations must outlive it.
class SiteMemory {
 public:
  SiteMemory(const RoundContext& context, std::size_t table);
  [[nodiscard]] MemoryUse with(const Scheme& scheme) const;
  // Outer state, with the wires where hosts encode and update, and the inner optimizer's; 0 if GPUs
  // keep both.
  [[nodiscard]] double host_bytes(const Scheme& scheme) const;

 private:
  // Of one GPU: the whole state, what one exchange uses of it, and its wires.
  struct Outer {
    double state = 0, in_use = 0, wires = 0;
  };
  [[nodiscard]] Outer outer(const SiteExchange& exchange) const;

  MemoryUse inside_;
  double inside_on_host_ = 0;  // for one GPU
  const Calibration& calibration_;
  int node_gpus_ = 1, stages_ = 1, places_ = 1, region_size_ = 1;
  std::optional<Syncer> syncer_;
  std::vector<ShardSize> shards_;  // none for a single site, which has no outer step
};
[[nodiscard]] MemoryUse site_memory(const RoundContext& context, std::size_t table,
                                    const Scheme& scheme);

// What an exchange of so many elements of every GPU takes besides its bytes: the times of its kernels
// and of the outer update, and nothing else of the work.
[[nodiscard]] SiteWork exchange_kernels(const SiteExchange& exchange, const Cluster& cluster,
                                        const Calibration& calibration, std::size_t elements,
                                        int places);

// From known inner steps, by table of sites.
[[nodiscard]] RoundShape round_shape(const RoundContext& context, const Scheme& scheme,
                                     std::span<const InnerStep> inner_steps);

// The source of each exchange kernel's time: "encode sparseloco: ...".
[[nodiscard]] std::vector<std::string> codec_sources(const RoundContext& context,
                                                     const Scheme& scheme);
// Kernels of the exchange whose times are to be doubted, not those of the steps inside the sites.
[[nodiscard]] DoubtfulKernels doubtful_kernels(const RoundContext& context, const Scheme& scheme);

}  // namespace sim
