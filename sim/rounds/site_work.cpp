// SPDX-License-Identifier: Apache-2.0
#include "sim/rounds/site_work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/rounds/host_copies.hpp"
#include "sim/rounds/inner_steps.hpp"
#include "sim/sites/alike_places.hpp"
#include "sim/sites/exchange_kernels.hpp"
#include "sim/sites/leader.hpp"
#include "sim/sites/regions.hpp"
#include "sim/times/host_codecs.hpp"
#include "sim/times/host_update.hpp"
#include "sim/times/roofline.hpp"
#include "sim/workload/parallelism_names.hpp"

namespace sim {
namespace {

// Most sites that are simulated one by one, in about a minute: where each sends to each, or downloads
// what each has stored; and otherwise.
int most_one_by_one(const Exchange& exchange) { return exchange.joins_all ? 512 : 1024; }

// Sites of the area that are simulated, themselves or for others.
int one_by_one(const RoundContext& context, const WideArea& area, const SiteExchange& exchange) {
  return context.whole ? place_count(area) : unlike_places(area, led_by(area.syncer, exchange));
}

// Bytes that the site's GPUs send together when each sends 1/parts of its shard.
double sent_bytes(const SiteExchange& exchange, const std::vector<ShardSize>& shards, int parts) {
  double bytes = 0;
  for (const ShardSize& shard : shards) {
    bytes += shard.gpus * exchange.wire.bytes(static_cast<double>(divided(shard.elements, parts)));
  }
  return std::round(bytes * exchange.sent_per_byte);
}

std::size_t largest_shard(const std::vector<ShardSize>& shards) {
  return std::max_element(shards.begin(), shards.end(),
                          [](const auto& a, const auto& b) { return a.elements < b.elements; })
      ->elements;
}

// Of a kernel of the exchange: on the host if its times are known, but a card's are a GPU's.
KernelEstimate exchange_time(const Calibration& calibration, const Gpu& gpu, const CodecUse& use) {
  return hosts_encode(use.wire, calibration) ? host_codec_time(calibration, use)
                                             : codec_time(calibration, gpu, use);
}

// Of what all sites hand in to the syncer for one exchange: all shards of each.
KernelEstimate syncer_sum(const RoundContext& context, const SiteExchange& exchange) {
  const auto& syncer = context.area.syncer;
  const int places = place_count(context.area);
  if (!exchange.exchange->has_syncer || !syncer->memory_bandwidth || places == 1) return {};
  std::size_t elements = 0;
  for (const ShardSize& shard : shard_sizes(context, 0, exchange.fragments)) {
    elements += shard.elements * static_cast<std::size_t>(shard.gpus);
  }
  const Gpu hosts{
      .name = "syncer", .memory_bandwidth = *syncer->memory_bandwidth, .memory_efficiency = 1};
  return codec_time(roofline(), hosts,
                    use_of(exchange, codecs::Operation::decode_reduce_encode, elements, places));
}

// Of an exchange among so many places.
SiteWork site_work(const RoundContext& context, std::size_t table, const SiteExchange& exchange,
                   const InnerStep& step, int places) {
  const Site& site = context.area.sites[table];
  const double late_s = site.late.value_or(Seconds{}).base();
  if (places == 1) {  // nobody to exchange with, and no outer step
    return {.step_s = step.seconds,
            .ready_s = step.ready_s,
            .needed_s = step.needed_s,
            .start_s = late_s};
  }
  const auto shards = shard_sizes(context, table, exchange.fragments);
  SiteWork work = exchange_kernels(exchange, site.cluster, context.calibrations[table],
                                   largest_shard(shards), places);
  work.step_s = step.seconds;
  work.slowdown = step.slowdown;
  work.slowdown_Bps = step.slowdown_Bps;
  work.ready_s = step.ready_s;
  work.needed_s = step.needed_s;
  work.whole_bytes = sent_bytes(exchange, shards, 1);
  work.part_bytes = sent_bytes(exchange, shards, places);
  work.start_s = late_s;
  return work;
}

// For all sites of a table.
void add_work(const RoundContext& context, std::size_t table, const SiteExchange& exchange,
              const InnerStep& step, RoundShape& shape) {
  constexpr double kWeight = 4;  // the region's outer weights become those of all sites
  const auto count = static_cast<std::size_t>(context.area.sites[table].count);
  const int places = place_count(context.area);
  const int region = region_size(context.area, table);
  SiteExchange across = exchange;
  across.update_bytes += kWeight * (outer_levels(exchange, region, places) - 1);
  shape.sites.insert(shape.sites.end(), count, site_work(context, table, across, step, places));
  if (exchange.across_every == 1) return;
  shape.in_region.insert(shape.in_region.end(), count,
                         site_work(context, table, exchange, step, region));
}

// Mean latency of a flat ring's hops inside the sites.
double hop_inside_s(const RoundContext& context) {
  double sum = 0;
  double hops = 0;
  for (std::size_t table = 0; table < context.area.sites.size(); ++table) {
    const Site& site = context.area.sites[table];
    const double nodes = site.cluster.nodes - 1;
    const double links = holders(site.cluster, context.parallelism_at(table)) - 1 - nodes;
    sum += site.count * (nodes * site.cluster.network.latency.base() +
                         std::max(0.0, links) * site.cluster.nvlink.latency.base());
    hops += site.count * (nodes + std::max(0.0, links));
  }
  return hops > 0 ? sum / hops : 0;
}

// Where tables have them, in rounds that are each so many of the scheme's.
void set_own_steps(const RoundContext& context, int rounds, RoundShape& shape) {
  std::size_t place = 0;
  for (std::size_t table = 0; table < context.area.sites.size(); ++table) {
    const auto& own = context.setup(table).inner_steps;
    for (int i = 0; i < context.area.sites[table].count; ++i, ++place) {
      if (own) shape.sites[place].inner_steps = rounds * *own;
    }
  }
}

// Sites exchange the same parts: as many as the site with most of them has.
void send_as_many_parts(RoundShape& shape) {
  std::size_t parts = 1;
  for (const SiteWork& site : shape.sites) parts = std::max(parts, site.ready_s.size());
  for (auto* sites : {&shape.sites, &shape.in_region}) {
    for (SiteWork& site : *sites) site.ready_s = ready_parts(std::move(site.ready_s), parts);
  }
}

}  // namespace

SiteWork exchange_kernels(const SiteExchange& exchange, const Cluster& cluster,
                          const Calibration& calibration, std::size_t elements, int places) {
  const ExchangeKernels kernels = kernels_of(exchange, elements, places);
  const auto seconds = [&](const std::vector<CodecUse>& uses) {
    double sum = 0;
    for (const CodecUse& use : uses) sum += exchange_time(calibration, cluster.gpu, use).seconds;
    return sum;
  };
  const Roofline roofline(cluster.gpu, compute_efficiency(cluster), calibration);
  const bool on_host = hosts_update(exchange, calibration);
  const auto count = static_cast<double>(elements);
  const auto pass = [&](double bytes) {
    return on_host ? host_pass_s(calibration, bytes * count) : roofline.pass(bytes * count);
  };
  // What is exchanged of a round is what the weights have changed by: both read, one written.
  const double change = exchange.gradients ? 0 : 3 * 4.0;
  return {.encode_s = seconds(kernels.encode) + pass(change),
          .sum_s = seconds(kernels.sum),
          .decode_s = seconds(kernels.decode),
          .update_s = pass(exchange.update_bytes),
          .copies = host_copies(exchange, cluster, calibration, count)};
}

std::string problem(const RoundContext& context, const Scheme& scheme) {
  require(scheme.between_sites.has_value(), "rounds are of a scheme between sites");
  const SiteExchange& exchange = *scheme.between_sites;
  if (std::string line = problem_of_setups(context.area, context.of_job(), scheme); !line.empty()) {
    return line;
  }
  if (exchange.exchange->is_stored && !context.area.store) {
    return fmt::format("`scheme`: {} needs object storage; add [store] to {}", scheme.name,
                       context.area.name);
  }
  if (exchange.optimizer.value_or(context.parallelism.optimizer) != context.parallelism.optimizer) {
    return fmt::format("`optimizer`: {} is defined with {} inside the sites; leave out `optimizer`",
                       scheme.name, name_of(*exchange.optimizer, kOptimizers));
  }
  const int places = place_count(context.area);
  if (exchange.outer_state == OuterState::host && places > 1) {
    for (const Site& site : context.area.sites) {
      if (host_copy_rate(site.cluster)) continue;
      return fmt::format(
          "`scheme`: {} keeps its outer state on hosts, but {} lacks gpu.host_bandwidth; add it to "
          "that cluster's file",
          scheme.name, site.cluster.name);
    }
  }
  const int unlike = one_by_one(context, context.area, exchange);
  const int most = most_one_by_one(*exchange.exchange);
  if (unlike > most) {
    return fmt::format(
        "`scheme`: {} takes too long to simulate for {} sites of which none stands for others; the "
        "limit is {}",
        scheme.name, unlike, most);
  }
  if (places > 1 && exchange.quorum > places) {
    return fmt::format(
        "`scheme`: {} waits for a quorum of {} sites, but {} has {}; lower it with `set` "
        "scheme.quorum",
        scheme.name, exchange.quorum, context.area.name, places);
  }
  return "";
}

int most_sites(const RoundContext& context, const Scheme& scheme) {
  require(context.area.sites.size() == 1, "one table");
  const SiteExchange& exchange = *scheme.between_sites;
  WideArea area = context.area;
  area.sites.front().count = kMostPlaces;
  const int most = most_one_by_one(*exchange.exchange);
  return one_by_one(context, area, exchange) > most ? most : kMostPlaces;
}

void check(const RoundContext& context, const Scheme& scheme) {
  for (std::size_t table = 0; table < context.area.sites.size(); ++table) {
    const std::string lines = problems(context.step(table), context.inner_at(table));
    if (!lines.empty()) throw InputError(problems_by_own_keys(context.area.sites[table], lines));
  }
  if (const std::string line = problem(context, scheme); !line.empty()) throw InputError(line);
}

std::vector<ShardSize> shard_sizes(const RoundContext& context, std::size_t table, int fragments) {
  const Parallelism p = context.parallelism_at(table);
  const Cluster& cluster = context.area.sites[table].cluster;
  const int data = holders(cluster, p);
  std::vector<ShardSize> shards;
  for (int stage = 0; stage < p.pipeline; ++stage) {
    double held = 0;  // of each GPU's own
    for (const GroupParameters& one : by_group(p, stage_parameters(context.model, p, stage))) {
      held += one.parameters / holders(cluster, p, one.group);
    }
    const auto shard = static_cast<std::size_t>(std::ceil(held));
    shards.push_back({.elements = divided(shard, fragments), .gpus = data * p.tensor});
  }
  return shards;
}

std::vector<InnerStep> inner_steps(const RoundContext& context, const Scheme& scheme) {
  check(context, scheme);
  std::vector<InnerStep> steps;
  for (std::size_t table = 0; table < context.area.sites.size(); ++table) {
    steps.push_back(context.known != nullptr ? context.known->of(context, table, scheme)
                                             : inner_step(context, table, scheme));
  }
  return steps;
}

double whole_bytes(const RoundContext& context, std::size_t table, const Scheme& scheme) {
  const SiteExchange& exchange = *scheme.between_sites;
  return exchange.fragments *
         sent_bytes(exchange, shard_sizes(context, table, exchange.fragments), 1);
}

RoundShape round_shape(const RoundContext& context, const Scheme& scheme,
                       std::span<const InnerStep> inner_steps) {
  const SiteExchange exchange =
      led_by(context.area.syncer, by_regions(*scheme.between_sites, context.area));
  RoundShape shape{.exchange = exchange.exchange,
                   .inner_steps = exchange.inner_steps,
                   .across_every = exchange.across_every,
                   .fragments = exchange.fragments,
                   .overlap_steps = exchange.overlap_steps,
                   .delayed = exchange.delayed,
                   .ring_order = exchange.ring_order,
                   .fan_out = exchange.fan_out,
                   .gpus = 0,
                   .syncer_sum_s = syncer_sum(context, exchange).seconds,
                   .flat_hop_s = hop_inside_s(context),
                   .whole = context.whole};
  for (std::size_t table = 0; table < context.area.sites.size(); ++table) {
    const Site& site = context.area.sites[table];
    add_work(context, table, exchange, inner_steps[table], shape);
    shape.gpus += site.count * holders(site.cluster, context.parallelism_at(table));
  }
  send_as_many_parts(shape);
  if (!exchange.gradients) {
    set_own_steps(context, exchange.inner_steps / scheme.between_sites->inner_steps, shape);
  }
  return shape;
}

namespace {

using VisitTimed =
    std::function<void(const char* what, const CodecUse& use, const KernelEstimate& time)>;

// The kernels of an exchange among all sites, at a site of each table.
void for_each_kernel(const RoundContext& context, const SiteExchange& exchange,
                     const VisitTimed& visit) {
  for (std::size_t table = 0; table < context.area.sites.size(); ++table) {
    const auto shards = shard_sizes(context, table, exchange.fragments);
    const ExchangeKernels kernels =
        kernels_of(exchange, largest_shard(shards), place_count(context.area));
    const Gpu& gpu = context.area.sites[table].cluster.gpu;
    const auto each = [&](const char* what, const std::vector<CodecUse>& uses) {
      for (const CodecUse& use : uses) {
        visit(what, use, exchange_time(context.calibrations[table], gpu, use));
      }
    };
    each("encode", kernels.encode);
    each("sum", kernels.sum);
    each("decode", kernels.decode);
  }
}

}  // namespace

DoubtfulKernels doubtful_kernels(const RoundContext& context, const Scheme& scheme) {
  if (place_count(context.area) == 1) return {};  // nobody to exchange with
  KernelDoubts doubts;
  for_each_kernel(
      context, led_by(context.area.syncer, *scheme.between_sites),
      [&](const char*, const CodecUse& use, const KernelEstimate& time) { doubts.add(use, time); });
  return std::move(doubts).found();
}

std::vector<std::string> codec_sources(const RoundContext& context, const Scheme& scheme) {
  const SiteExchange exchange = led_by(context.area.syncer, *scheme.between_sites);
  std::set<std::string> lines;
  for_each_kernel(context, exchange,
                  [&](const char* what, const CodecUse&, const KernelEstimate& time) {
                    lines.insert(fmt::format("{} {}: {}", what, exchange.wire.name(), time.source));
                  });
  if (const KernelEstimate sum = syncer_sum(context, exchange); sum.seconds > 0) {
    lines.insert(fmt::format("sum {} at the syncer: {}", exchange.wire.name(), sum.source));
  }
  return {lines.begin(), lines.end()};
}

}  // namespace sim
