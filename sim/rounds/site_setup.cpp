// SPDX-License-Identifier: Apache-2.0
#include "sim/rounds/site_setup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <string_view>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/base/joined.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/workload/parallelism_fields.hpp"

namespace sim {
namespace {

// A field of the job, and the site's key for it where it has one.
struct OwnKey {
  std::string_view field, key;
};

std::vector<OwnKey> own_keys(const Site& site) {
  const SiteSetup& own = site.setup;
  std::vector<OwnKey> keys;
  const auto add = [&](bool has, std::string_view field, std::string_view key) {
    if (has) keys.push_back({field, key});
  };
  add(own.micro_batch.has_value(), "`micro-batch`", "micro_batch");
  add(own.accumulation.has_value(), "`accumulation`", "accumulation");
  add(own.tensor.has_value(), "`tp`", "tp");
  add(own.pipeline.has_value(), "`pp`", "pp");
  add(own.zero.has_value(), "`zero`", "zero");
  add(!own.inner_scheme.empty(), "`scheme`", "inner_scheme");
  return keys;
}

const Scheme& own_scheme(std::string_view site, const std::string& name) {
  const std::string key = fmt::format("`topology`: sites.{}.inner_scheme", site);
  const Scheme& scheme = scheme_named(name, key, SchemeKind::inside);
  if (scheme.kind() == SchemeKind::inside) return scheme;
  std::vector<std::string_view> known;
  for (const Scheme* one : all_schemes(SchemeKind::inside)) known.push_back(one->name);
  throw InputError(fmt::format("{}: '{}' is a scheme between sites, not within a site; known: {}",
                               key, printable(name), joined(known)));
}

std::string problem_of_steps(const Site& site, const Scheme& scheme) {
  const SiteExchange& exchange = *scheme.between_sites;
  if (!site.setup.inner_steps || exchange.gradients) return "";
  const int steps = *site.setup.inner_steps;
  const bool of_fragments = exchange.fragments >= exchange.overlap_steps;
  const int least = std::max(exchange.fragments, exchange.overlap_steps);
  if (steps >= least) return "";
  return fmt::format(
      "`topology`: sites.{}.inner_steps: {} is less than the {} {} of {}; write at "
      "least {}",
      site.name, steps, least, of_fragments ? "fragments" : "steps of overlap", scheme.name, least);
}

}  // namespace

Inside inside_of(std::string_view site, const SiteSetup& own, const Inside& of_job) {
  Inside inside{own.inner_scheme.empty() ? of_job.scheme : own_scheme(site, own.inner_scheme),
                of_job.parallelism};
  Parallelism& p = inside.parallelism;
  p.micro_batch = own.micro_batch.value_or(p.micro_batch);
  p.accumulation = own.accumulation.value_or(p.accumulation);
  p.tensor = own.tensor.value_or(p.tensor);
  p.pipeline = own.pipeline.value_or(p.pipeline);
  if (own.pipeline == 1) p.virtual_stages = 1;
  if (!own.inner_scheme.empty() && !inside.scheme.is_defined_for(p.sharding.stage)) {
    p.sharding.stage = inside.scheme.usual_stage();
  }
  p.sharding.stage = own.zero.value_or(p.sharding.stage);
  if (p.sharding.stage != of_job.parallelism.sharding.stage && p.sharding.stage < 3) {
    p.sharding.ranks = 0;
    p.gathers_matrices = false;
  }
  return inside;
}

int steps_inside(const Site& site, const SiteExchange& exchange) {
  return exchange.gradients ? 1 : site.setup.inner_steps.value_or(exchange.inner_steps);
}

std::string problem_of_setups(const WideArea& area, const Inside& of_job, const Scheme& scheme) {
  const SiteExchange& exchange = *scheme.between_sites;
  const Parallelism first = inside_of(area.sites.front(), of_job).parallelism;
  for (const Site& site : area.sites) {
    if (std::string line = problem_of_steps(site, scheme); !line.empty()) return line;
    if (!exchange.exchange->joins_ranks) continue;
    const Parallelism p = inside_of(site, of_job).parallelism;
    if (p.tensor == first.tensor && p.pipeline == first.pipeline) continue;
    return fmt::format(
        "`topology`: sites.{}: {} joins the GPUs that hold the same part of the model, but tp x pp "
        "is {} x {} here and {} x {} at {}; write the same tp and pp for all sites",
        site.name, scheme.name, p.tensor, p.pipeline, first.tensor, first.pipeline,
        area.sites.front().name);
  }
  return "";
}

std::string by_own_keys(const Site& site, std::string text) {
  for (const OwnKey& own : own_keys(site)) {
    const std::string key = fmt::format("sites.{}.{}", site.name, own.key);
    for (auto at = text.find(own.field); at != std::string::npos; at = text.find(own.field, at)) {
      text.replace(at, own.field.size(), key);
      at += key.size();
    }
  }
  return text;
}

std::string problems_by_own_keys(const Site& site, const std::string& lines) {
  std::vector<std::string> named;
  std::istringstream all(lines);
  for (std::string line; std::getline(all, line);) {
    line = by_own_keys(site, line);
    if (line.starts_with("sites.")) line.insert(0, "`topology`: ");
    named.push_back(std::move(line));
  }
  return joined(named, "\n");
}

std::string difference_text(const Inside& of_job, const Inside& of_site) {
  std::string text = changed_fields(of_job.parallelism, of_site.parallelism);
  std::erase(text, '`');
  if (of_site.scheme.name == of_job.scheme.name) return text;
  return fmt::format("{}{}{} inside", text, text.empty() ? "" : ", ", of_site.scheme.name);
}

}  // namespace sim
