// SPDX-License-Identifier: Apache-2.0
#include "apps/catalogue.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "apps/data_files.hpp"
#include "apps/job/topology_files.hpp"
#include "codecs/codec.hpp"
#include "codecs/error/all_reduces.hpp"
#include "sim/base/joined.hpp"
#include "sim/base/json_reader.hpp"
#include "sim/reliability/reliability.hpp"
#include "sim/schemes/scheme.hpp"
#include "sim/times/calibration.hpp"
#include "sim/topology/cluster.hpp"
#include "sim/topology/nccl_transports.hpp"
#include "sim/workload/model.hpp"
#include "sim/workload/parallelism_names.hpp"
#include "sim/workload/stack_history.hpp"

namespace apps {
namespace {

constexpr std::string_view kPlain = "{:<28} {}";

Listing plain(std::string_view name, std::string heading) {
  return {name, std::move(heading), {"name", "summary"}, {}, kPlain};
}

std::vector<Listing> scheme_listings() {
  Listing inside{
      "schemes",
      "schemes within a cluster or a site (run --scheme, --inner-scheme), with the ZeRO stages\n"
      "for which each is defined (--zero; stage 0 shards nothing)",
      {"name", "zero", "summary"},
      {},
      "{:<28} {:<8} {}"};
  for (const sim::Scheme* scheme : sim::all_schemes(sim::SchemeKind::inside)) {
    inside.rows.push_back({scheme->name, sim::joined(scheme->zero, ","), scheme->summary});
  }
  Listing between = plain("schemes_between_sites",
                          "schemes between sites (run --scheme, on a topology of several sites)");
  for (const sim::Scheme* scheme : sim::all_schemes(sim::SchemeKind::between_sites)) {
    between.rows.push_back({scheme->name, scheme->summary});
  }
  return {inside, between};
}

std::string figure(const sim::JsonReader& row, const char* column, const char* name) {
  return fmt::format("{:.3g}", row.at(column).at(name).not_negative());
}

Listing all_reduces(const sim::JsonReader& table) {
  Listing listing{
      "all_reduces",
      fmt::format(
          "stateful all_reduces on {} ranks: bits per element that each rank encodes;\n"
          "relative L2 error of the first step, of the sum of {} steps, and of that sum if\n"
          "the part of the gradients that recurs in every step is a low-rank matrix (rank 4)",
          table.at("provenance").at("all_reduce_ranks").whole(),
          table.at("provenance").at("feedback_steps").whole()),
      {"name", "bits", "first_step", "running_sum", "running_sum_low_rank", "summary"},
      {},
      "{:<23} {:>6}  {:>8} {:>8} {:>8}  {}"};
  for (const codecs::AllReduce& method : codecs::all_reduces()) {
    const std::string name(method.name);
    std::vector<std::string> row{name, "?", "?", "?", "?", std::string(method.summary)};
    if (table.at("all_reduces").has(name)) {
      const sim::JsonReader cells = table.at("all_reduces").at(name);
      row[1] = fmt::format("{:.3f}", cells.at("normal").at("bits_per_element").positive());
      row[2] = figure(cells, "normal", "first_step");
      row[3] = figure(cells, "normal", "running_sum");
      row[4] = figure(cells, "low_rank", "running_sum");
    }
    listing.rows.push_back(std::move(row));
  }
  return listing;
}

std::vector<Listing> codec_listings() {
  const auto document = sim::read_json(codec_error_file());
  const sim::JsonReader table(document);
  const sim::JsonReader errors = table.at("codecs");
  Listing listing{"codecs",
                  "codecs: bits per element; relative L2 error of one encoding, for normally "
                  "distributed values\n"
                  "and for Student's t with 3 degrees of freedom "
                  "(traces/calibration/codec_error.json); values\n"
                  "are rounded to the nearest code or stochastically",
                  {"name", "bits", "error_normal", "error_student_t3", "summary"},
                  {},
                  "{:<23} {:>6}  {:>8} {:>8}  {}"};
  for (const codecs::Codec* codec : codecs::all_codecs()) {
    const std::string name(codec->name);
    const auto error = [&](const char* distribution) {
      if (!errors.has(name)) return std::string("?");
      return figure(errors.at(name), distribution, "relative_l2");
    };
    const double bits = 8 * codecs::encoded_bytes_per_element(codec->format);
    listing.rows.push_back({name, fmt::format("{:.3f}", bits), error("normal"), error("student_t3"),
                            std::string(codec->summary)});
  }
  return {listing, all_reduces(table)};
}

std::vector<Listing> topology_listings() {
  Listing listing = plain("topologies", "topologies (run --topology)");
  for (const auto& file : shipped_files(Kind::topology)) {
    listing.rows.push_back({file.stem().string(), sim::read_cluster(file).summary});
  }
  return {listing};
}

std::vector<Listing> site_listings() {
  Listing listing =
      plain("sites", "sites: groups of clusters that train together (run --topology)");
  for (const auto& file : shipped_files(Kind::wide_area)) {
    const sim::WideArea area = read_wide_area(file.string(), {});
    listing.rows.push_back({area.name, area.summary});
  }
  return {listing};
}

std::vector<Listing> model_listings() {
  Listing listing = plain("models", "models (run --model)");
  for (const auto& file : shipped_files(Kind::model)) {
    listing.rows.push_back({file.stem().string(), sim::read_model(file).summary});
  }
  return {listing};
}

std::vector<Listing> reliability_listings() {
  Listing listing = plain("reliabilities", "failures and recovery (run --reliability)");
  for (const auto& file : shipped_files(Kind::reliability)) {
    listing.rows.push_back({file.stem().string(), sim::read_reliability(file).summary});
  }
  return {listing};
}

// "a paper, table 5" of "a paper, table 5: what it has. How it was read": a table's source in short.
std::string_view in_short(std::string_view source) {
  return source.substr(0, std::min(source.find(": "), source.find(". ")));
}

std::vector<Listing> calibration_listings() {
  Listing listing = plain("calibrations", "calibrations (run --calibration)");
  for (const auto& file : shipped_files(Kind::calibration)) {
    const sim::Calibration table = sim::read_calibration(file);
    listing.rows.push_back({table.name, fmt::format("{} on {}: {}", sim::origin_of_times(table),
                                                    table.gpu, in_short(table.source))});
  }
  listing.rows.push_back(
      {"roofline", "no table: a kernel's bytes divided by the memory bandwidth"});
  return {listing};
}

// Of a transport: a row for each of its paces that is known.
void add_paces(const sim::NcclTransport& one, std::string_view message_source, Listing& listing) {
  const auto add = [&](const char* what, const std::optional<sim::Seconds>& launch,
                       const std::optional<sim::LinkPace>& pace, const std::string& more = "") {
    if (!pace) return;
    const std::string start = launch ? fmt::format("{:.3g}", launch->base() * 1e6) : "-";
    listing.rows.push_back({std::string(one.name), what, start,
                            fmt::format("{:.3g}", pace->latency.base() * 1e6),
                            fmt::format("{:.3g}", pace->efficiency), more, std::string(one.summary),
                            std::string(one.source)});
  };
  const std::string copies =
      one.copy_bandwidth ? fmt::format("at most {}", to_text(*one.copy_bandwidth)) : "";
  add("ll", one.ll_launch, one.ll);
  add("ll128", one.ll128_launch, one.ll128);
  add("simple", one.launch, one.simple, copies);
  add("nvls", std::nullopt, one.nvls,
      fmt::format("{} channels, {} B a chunk", one.sums.channels, one.sums.chunk_overhead.count));
  const auto by_channel = [](const std::optional<double>& efficiency) {
    return efficiency ? fmt::format("{:.3g} by a channel", *efficiency) : "";
  };
  add("all_to_all", std::nullopt, one.pairs, by_channel(one.pairs_channel_efficiency));
  add("all_to_all, ll", std::nullopt, one.ll_pairs, by_channel(one.ll_pairs_channel_efficiency));
  if (one.message) {
    listing.rows.push_back({std::string(one.name), "a message",
                            fmt::format("{:.3g}", one.message->base() * 1e6), "-", "-", "",
                            std::string(one.summary), std::string(message_source)});
  }
}

std::vector<Listing> transport_listings() {
  Listing listing{
      "transports",
      "transports as NCCL drives them (nvlink.transport, network.transport): fixed cost\n"
      "and latency of a step in us, and efficiency of large buffers, by protocol;\n"
      "what a chunk costs beyond its bytes, the efficiency of one channel, and what copies allow",
      {"name", "by", "launch_us", "latency_us", "efficiency", "more", "summary", "source"},
      {},
      "      {1:<15} {2:>6} {3:>6} {4:>7}  {5}",
      {"{0}: {6}", "  {7}"}};
  for (const sim::NcclTransport* one : sim::nvlink_transports()) {
    add_paces(*one, sim::kMessageSource, listing);
  }
  for (const sim::NcclTransport* one : sim::network_transports()) {
    add_paces(*one, sim::kNetworkMessageSource, listing);
  }
  return {listing};
}

std::vector<Listing> stack_listings() {
  Listing listing{
      "stacks",
      "stacks of training software (run --stack): the stage of ZeRO, attention, kernels, loss,\n"
      "optimizer and overlap that flags may override; passes of an FP8 cast beyond its own, and\n"
      "metrics over the logits of each micro-batch",
      {"name", "zero", "attention", "kernels", "loss", "optimizer", "overlap", "casts", "metrics",
       "summary", "source"},
      {},
      "{0:<14} {1:>4}  {2:<9} {3:<9} {4:<8} {5:<14} {6:<18} {7:<15} {8:>2}  {9}"};
  for (const sim::Stack* one : sim::all_stacks()) {
    std::string casts;
    if (one->casts.own_amax) casts += "amax,";
    if (one->casts.own_transpose) casts += "transpose,";
    listing.rows.push_back(
        {std::string(one->name), std::to_string(one->zero),
         std::string(name_of(one->attention, sim::kAttentions)),
         std::string(name_of(one->kernels, sim::kKernels)),
         std::string(name_of(one->loss, sim::kLosses)),
         std::string(name_of(one->optimizer, sim::kOptimizers)), sim::to_text(one->overlap),
         casts.empty() ? "fused" : casts.substr(0, casts.size() - 1),
         std::to_string(one->loss_metrics), std::string(one->summary), std::string(one->source)});
  }
  return {listing};
}

std::vector<Listing> stack_change_listings() {
  Listing listing{
      "stack-changes",
      "changes of the stacks, newest first (run --stack NAME@DATE): the first date with\n"
      "today's value or the next one, and what the stacks had before",
      {"since", "stacks", "before", "source"},
      {},
      "{0:<11} {1:<38} {2:<42} {3}"};
  for (const sim::StackChange& change : sim::stack_changes()) {
    std::vector<std::string_view> stacks;
    for (const sim::Stack* stack : change.stacks) {
      if (stack != nullptr) stacks.push_back(stack->name);
    }
    listing.rows.push_back({to_text(change.since), sim::joined(stacks, ","), to_text(change.before),
                            std::string(change.source)});
  }
  return {listing};
}

constexpr Section kSections[] = {{"schemes", true, scheme_listings},
                                 {"codecs", true, codec_listings},
                                 {"topologies", true, topology_listings},
                                 {"sites", true, site_listings},
                                 {"models", true, model_listings},
                                 {"calibrations", true, calibration_listings},
                                 {"reliabilities", false, reliability_listings},
                                 {"transports", false, transport_listings},
                                 {"stacks", false, stack_listings},
                                 {"stack-changes", false, stack_change_listings},
                                 {"keys", false, key_listings},
                                 {"units", false, unit_listings},
                                 {"figures", false, figure_listings}};

}  // namespace

std::span<const Section> catalogue() { return kSections; }

}  // namespace apps
