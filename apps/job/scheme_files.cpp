// SPDX-License-Identifier: Apache-2.0
#include "apps/job/scheme_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "apps/data_files.hpp"
#include "apps/print.hpp"
#include "sim/base/error.hpp"
#include "sim/base/joined.hpp"
#include "sim/base/names.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/schemes/scheme_file.hpp"
#include "sim/topology/cluster.hpp"

namespace apps {

sim::Scheme any_scheme(const std::string& name, const char* flag, sim::SchemeKind meant) {
  return is_path(name, ".toml") ? sim::read_scheme(name) : sim::scheme_named(name, flag, meant);
}

sim::Scheme scheme_of(const std::string& name, const char* flag, sim::SchemeKind kind) {
  sim::Scheme scheme = any_scheme(name, flag, kind);
  if (scheme.kind() == kind) return scheme;
  std::vector<std::string_view> known;
  for (const sim::Scheme* shipped : sim::all_schemes(kind)) known.push_back(shipped->name);
  const std::string given = sim::printable(name);
  std::string what =
      fmt::format("within a site, not between sites; write --inner-scheme {}", given);
  if (kind == sim::SchemeKind::inside) {
    what = flag == std::string_view("--inner-scheme")
               ? "between sites, not within a site; --scheme is for these"
               : "between sites, not within a cluster; it needs a --topology of several sites";
  }
  throw sim::InputError(
      fmt::format("{}: '{}' is a scheme {}; known: {}", flag, given, what, sim::joined(known)));
}

std::vector<std::string> names_as_given(const std::vector<std::string>& given,
                                        std::span<const sim::Scheme> schemes) {
  if (given != std::vector<std::string>{"all"}) return given;
  std::vector<std::string> names;
  for (const sim::Scheme& scheme : schemes) names.push_back(scheme.name);
  return names;
}

sim::Scheme twin_of(const sim::Scheme& scheme) {
  return scheme.compresses() ? sim::scheme_named(scheme.twin) : scheme;
}

void warn_of_unknown_gpus(const sim::Scheme& scheme, std::vector<std::string> known) {
  std::vector<const sim::CodecCard*> cards;
  for (const sim::Wire* wire : scheme.wires()) {
    if (wire->card && std::ranges::find(cards, wire->card.get()) == cards.end()) {
      cards.push_back(wire->card.get());
    }
  }
  if (cards.empty()) return;
  for (const auto& file : shipped_files(Kind::topology)) {
    known.push_back(sim::read_cluster(file).gpu.name);
  }
  const std::vector<std::string_view> names(known.begin(), known.end());
  for (const sim::CodecCard* card : cards) {
    if (!card->has_times() || std::ranges::find(known, card->gpu) != known.end()) continue;
    print_note("warning: {}: {} was timed on '{}', a GPU of no shipped cluster{}\n", scheme.name,
               card->name, sim::printable(card->gpu), sim::suggestion(card->gpu, names));
  }
}

}  // namespace apps
