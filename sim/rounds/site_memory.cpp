// SPDX-License-Identifier: Apache-2.0
// What a site's GPUs and hosts hold.
#include "sim/rounds/host_copies.hpp"
#include "sim/rounds/site_work.hpp"
#include "sim/sites/exchange_kernels.hpp"
#include "sim/sites/leader.hpp"
#include "sim/sites/regions.hpp"
#include "sim/times/host_update.hpp"
#include "sim/workload/offloading.hpp"

namespace sim {

SiteMemory::SiteMemory(const RoundContext& context, std::size_t table)
    : inside_(memory_use(context.area.sites[table].cluster, context.model,
                         context.parallelism_at(table),
                         codec_memory(context.step(table), context.inner_at(table)))),
      inside_on_host_(host_optimizer_bytes(context.area.sites[table].cluster, context.model,
                                           context.parallelism_at(table),
                                           context.calibrations[table]) +
                      host_activation_bytes(context.model, context.parallelism_at(table))),
      calibration_(context.calibrations[table]),
      node_gpus_(context.area.sites[table].cluster.gpus_per_node),
      stages_(context.parallelism_at(table).pipeline),
      places_(place_count(context.area)),
      region_size_(region_size(context.area, table)),
      syncer_(context.area.syncer) {
  if (places_ > 1) shards_ = shard_sizes(context, table, 1);
}

SiteMemory::Outer SiteMemory::outer(const SiteExchange& exchange) const {
  const double wire = exchange.wire.bytes_per_element() * exchange.sent_per_byte;
  Outer outer;
  for (const ShardSize& shard : shards_) {
    const double elements = static_cast<double>(shard.elements) / stages_;
    outer.state += outer_levels(exchange, region_size_, places_) * exchange.state_bytes * elements;
    outer.in_use += exchange.state_bytes * elements / exchange.fragments;
    const double wires = 1 + arriving_wires(exchange, shard.elements, places_);
    outer.wires += wires * wire * elements / exchange.fragments;
  }
  return outer;
}

// Of state on hosts, GPUs hold a piece at a time or, beside inner steps, that of a fragment.
MemoryUse SiteMemory::with(const Scheme& scheme) const {
  const SiteExchange exchange = led_by(syncer_, *scheme.between_sites);
  const Outer outer = this->outer(exchange);
  MemoryUse memory = inside_;
  if (hosts_update(exchange, calibration_)) return memory;
  memory.codec += outer.wires;
  if (exchange.outer_state == OuterState::gpu) {
    memory.outer_state = outer.state;
  } else if (exchange.overlaps()) {
    memory.outer_state = outer.in_use;
  }
  set_fragmentation(memory);
  return memory;
}

double SiteMemory::host_bytes(const Scheme& scheme) const {
  const SiteExchange exchange = led_by(syncer_, *scheme.between_sites);
  double bytes = inside_on_host_;
  if (exchange.outer_state == OuterState::host) {
    const Outer outer = this->outer(exchange);
    bytes += outer.state + (hosts_update(exchange, calibration_) ? outer.wires : 0);
  }
  return node_gpus_ * bytes;
}

MemoryUse site_memory(const RoundContext& context, std::size_t table, const Scheme& scheme) {
  return SiteMemory(context, table).with(scheme);
}

}  // namespace sim
