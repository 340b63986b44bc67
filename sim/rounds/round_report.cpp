// SPDX-License-Identifier: Apache-2.0
#include "sim/rounds/round_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/base/json_reader.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/program/asked_collectives.hpp"
#include "sim/program/kernels_of.hpp"
#include "sim/report/sources.hpp"
#include "sim/rounds/round_parts.hpp"
#include "sim/rounds/round_rates.hpp"
#include "sim/sites/detours.hpp"
#include "sim/times/host_update.hpp"

namespace sim {
namespace {

// Each the mean of those that are alike, which one of them has all of.
void share_out(const std::vector<std::vector<int>>& alike, std::vector<double>& bytes) {
  for (const std::vector<int>& places : alike) {
    double sum = 0;
    for (const int place : places) sum += bytes[static_cast<std::size_t>(place)];
    for (const int place : places) {
      bytes[static_cast<std::size_t>(place)] = sum / static_cast<double>(places.size());
    }
  }
}

// Bytes that each place sends and receives in a round, none in one that never ends; the syncer and the
// storage come last.
struct WideBytes {
  std::vector<double> sent, received;
};

// Of a site's own round, as much as falls into one of the others; of all that goes along the hops, as of
// the slowest of their ends.
double rounds_along(const RoundResult& result, const std::vector<Hop>& hops) {
  double rounds = 1;
  for (const Hop& hop : hops) {
    for (const int end : {hop.source, hop.destination}) {
      const auto place = static_cast<std::size_t>(end);
      if (place >= result.shape.sites.size()) continue;  // the syncer or the storage
      rounds = std::min(rounds, result.round_s / result.period_s(place));
    }
  }
  return rounds;
}

WideBytes wide_bytes(const RoundResult& result) {
  constexpr std::size_t kApart = 2;
  const std::size_t ends = result.shape.sites.size() + kApart;
  const Schedule& schedule = result.plan.schedule;
  WideBytes all{std::vector<double>(ends), std::vector<double>(ends)};
  if (result.outcome == RoundOutcome::aborted) return all;
  for (std::size_t id = 0; id < schedule.operations.size(); ++id) {
    const Operation& operation = schedule.operations[id];
    if (operation.kind != OperationKind::flow) continue;
    const auto& hops = schedule.routes[operation.route].hops;
    const double bytes = result.timeline.carried_bytes(schedule, id) * rounds_along(result, hops) /
                         result.shape.rounds;
    for (const Hop& hop : hops) {
      all.sent[static_cast<std::size_t>(hop.source)] += bytes * hop.times;
      all.received[static_cast<std::size_t>(hop.destination)] += bytes * hop.times;
    }
  }
  share_out(schedule.alike, all.sent);
  share_out(schedule.alike, all.received);
  return all;
}

void add_sites(const RoundContext& context, const Scheme& scheme, const RoundResult& result,
               const WideBytes& bytes, RoundFigures& round) {
  std::size_t place = 0;
  for (std::size_t table = 0; table < context.area.sites.size(); ++table) {
    const Site& site = context.area.sites[table];
    const Inside inside = context.inside(table);
    SiteReport row{.name = site.name,
                   .count = site.count,
                   .gpu = site.cluster.gpu.name,
                   .gpus = rank_count(site.cluster),
                   .setup = difference_text(context.of_job(), inside),
                   .inner_scheme = inside.scheme.name,
                   .parallelism = inside.parallelism,
                   .inner_steps = result.shape.steps(place),
                   .inner_step_s = result.shape.sites[place].step_s,
                   .slowdown = result.shape.sites[place].slowdown};
    row.sequences = global_batch(site.cluster, row.parallelism);
    for (int i = 0; i < site.count; ++i, ++place) {
      row.sent_bytes += bytes.sent[place] / site.count;
      row.received_bytes += bytes.received[place] / site.count;
      round.egress_usd += bytes.sent[place] * site.egress.base();
    }
    const SiteMemory memory(context, table);
    row.memory = memory.with(scheme);
    row.host_memory_bytes = memory.host_bytes(scheme);
    row.capacity_bytes = static_cast<double>(site.cluster.gpu.memory.count);
    row.fits_memory = row.memory.total() <= row.capacity_bytes;
    round.by_site.push_back(std::move(row));
  }
  const auto add_egress = [&](int apart, BytePrice price) {
    round.egress_usd += bytes.sent[static_cast<std::size_t>(apart)] * price.base();
  };
  const WideArea& area = context.area;
  if (area.syncer) add_egress(syncer_place(area), area.syncer->egress);
  if (area.store) add_egress(store_place(area), area.store->egress);
}

void add_memory(Report& report) {
  const auto share = [](const SiteReport& site) {
    return site.memory.total() / site.capacity_bytes;
  };
  const std::vector<SiteReport>& sites = report.round->by_site;
  const SiteReport& fullest = *std::ranges::max_element(sites, {}, share);
  report.round->fullest_site = fullest.name;
  report.memory = fullest.memory;
  report.fits_memory = std::ranges::all_of(sites, &SiteReport::fits_memory);
}

void add_volume(const RoundContext& context, const Scheme& scheme, const RoundResult& result,
                const WideBytes& bytes, Report& report) {
  const std::size_t places = result.shape.sites.size();
  for (std::size_t place = 0; place < places; ++place) {
    report.wire_bytes_wan += bytes.sent[place] / static_cast<double>(places);
  }
  if (places == 1) return;
  double elements = 0;
  for (const ShardSize& shard : shard_sizes(context, 0, scheme.between_sites->fragments)) {
    elements += static_cast<double>(shard.elements) * shard.gpus;
  }
  const double bits = 8 * result.shape.sites.front().whole_bytes / elements;
  report.round->bits_per_parameter = bits;
  report.compression_ratio_fp32 = 32 / bits;
  report.compression_ratio_bf16 = 16 / bits;
}

void add_links(const RoundResult& result, Report& report) {
  report.busiest_links = busiest_links(result.plan.schedule, result.wiring, result.timeline);
  // Of so many rounds: sites that the others do not wait for go on after them.
  const double lasted = result.timeline.makespan_s / (result.shape.rounds * result.round_s);
  for (LinkUse& use : report.busiest_links) use.busy = std::min(1.0, use.busy * lasted);
  constexpr std::size_t kShown = 8;
  if (report.busiest_links.size() > kShown) report.busiest_links.resize(kShown);
}

void add_sources(const RoundContext& context, const Scheme& scheme, Report& report) {
  report.sources["sites"] = fmt::format("{}.toml: {}", context.area.name, context.area.summary);
  report.sources["model"] = fmt::format("{}: {}", context.model.file, context.model.summary);
  report.sources["memory"] = fit_source();
  for (std::size_t table = 0; table < context.area.sites.size(); ++table) {
    const Site& site = context.area.sites[table];
    report.sources["site " + site.name] =
        fmt::format("{}.toml: {}; kernels: {}", site.cluster.name, site.cluster.summary,
                    context.calibrations[table].name);
    const std::string efficiency = efficiency_source(site.cluster);
    if (!efficiency.empty()) {
      report.sources[fmt::format("site {} gpu.compute_efficiency", site.name)] = efficiency;
    }
    if (scheme.between_sites->outer_state == OuterState::host) {
      report.sources[fmt::format("site {} outer state", site.name)] =
          "on the hosts; " + host_copies_source(site.cluster);
    }
    const std::string optimizer = optimizer_state_source(
        site.cluster, context.parallelism_at(table), context.calibrations[table]);
    if (!optimizer.empty()) {
      report.sources[fmt::format("site {} optimizer state", site.name)] = optimizer;
    }
    const std::string offloaded = offloaded_source(site.cluster, context.parallelism_at(table));
    if (!offloaded.empty()) {
      report.sources[fmt::format("site {} activations", site.name)] = offloaded;
    }
    for (const auto& [key, takers] :
         asked_outcome(context.step(table), context.inner_at(table)).takers) {
      report.sources[fmt::format("site {} {}", site.name, key)] = takers;
    }
  }
  for (const Scheme* one : {&context.inner, &scheme}) {
    for (const Wire* wire : one->wires()) {
      if (wire->card) report.sources["card " + wire->name()] = wire->card->summary;
    }
  }
  if (scheme.between_sites->exchange->has_syncer && !context.area.syncer) {
    report.sources["syncer"] =
        fmt::format("{} has no [syncer]: its first site sums", context.area.name);
  }
  for (const WideLink& link : context.area.links) {
    if (link.dead) report.sources["link " + link.name] = text_of_detours(context.area, link);
  }
  for (const std::string& line : codec_sources(context, scheme)) {
    const auto colon = line.find(": ");
    report.sources["codec " + line.substr(0, colon)] = line.substr(colon + 2);
  }
}

}  // namespace

std::int64_t global_batch(const RoundContext& context) {
  std::int64_t sequences = 0;
  for (std::size_t table = 0; table < context.area.sites.size(); ++table) {
    const Site& site = context.area.sites[table];
    sequences += site.count * global_batch(site.cluster, context.parallelism_at(table));
  }
  return sequences;
}

double round_sequences(const RoundContext& context, std::size_t table,
                       const SiteExchange& exchange) {
  const Site& site = context.area.sites[table];
  return steps_inside(site, exchange) *
         static_cast<double>(global_batch(site.cluster, context.parallelism_at(table)));
}

Report summarize(const RoundContext& context, const Scheme& scheme, const RoundResult& result) {
  Report report{.topology = context.area.name,
                .model = context.model.name,
                .scheme = std::string(scheme.name),
                .parallelism = context.parallelism,
                .global_batch = global_batch(context),
                .model_size = size_of(context.model),
                .sequence = context.model.sequence,
                .time_s = result.round_s};
  RoundFigures& round = report.round.emplace();
  round = {.inner_scheme = std::string(context.inner.name),
           .sites = place_count(context.area),
           .inner_steps = result.shape.inner_steps,
           .across_every = result.shape.across_every,
           .fragments = scheme.between_sites->fragments,
           .overlap_steps = scheme.between_sites->overlap_steps,
           .outcome = outcome_name(result.outcome),
           .events = result.events,
           .cutoff_s = result.cutoff_s,
           .handed_in_s = result.handed_in_s};
  const WideBytes bytes = wide_bytes(result);
  add_sites(context, scheme, result, bytes, round);
  add_memory(report);
  add_volume(context, scheme, result, bytes, report);
  add_rates(context, result, report);
  if (report.ended()) {
    add_links(result, report);
    const std::size_t place = last_place(result);
    round.time_site = place_name(context.area, static_cast<int>(place));
    report.time = parts_of_round(result, place);
    round.exchange_after_round_s = exchange_after_round_s(result);
    report.bound = bound_of(report.time, report.time_s, report.busiest_links,
                            "round at " + round.time_site, "waiting for other sites");
  }
  add_sources(context, scheme, report);
  return report;
}

CodecErrors codec_errors(const JsonDocument& table, const Scheme& scheme) {
  const JsonReader root(table);
  const Wire& wire = scheme.between_sites->wire;
  const std::string name = wire.name();
  CodecErrors errors{{"normal", {}}, {"student_t3", {}}};
  if (scheme.between_sites->feedback) errors["sum_of_256"] = {};
  if (scheme.between_sites->exchange->encodes_sums) return errors;
  if (wire.card) {
    for (const auto& [distribution, error] : wire.card->error) errors[distribution] = error;
  } else if (root.at("codecs").has(name)) {
    root.at("codecs").at(name).each_key(
        [&](const std::string& distribution, const JsonReader& figures) {
          errors[distribution] = figures.at("relative_l2").not_negative();
        });
  }
  if (!scheme.between_sites->feedback || wire.card || !root.at("feedback").has(name)) return errors;
  const JsonReader rules = root.at("feedback").at(name);
  for (const char* rule : {"sparseloco", "demo", "ef_sgd"}) {
    if (!rules.has(rule)) continue;
    errors["sum_of_256"] = rules.at(rule).at("running_sum").not_negative();
    break;
  }
  return errors;
}

}  // namespace sim
