// SPDX-License-Identifier: Apache-2.0
#include "sim/schemes/scheme_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/base/joined.hpp"
#include "sim/base/printable.hpp"
#include "sim/schemes/scheme_fields.hpp"

namespace sim {
namespace {

constexpr Field<Scheme> kHeadFields[] = {
    field<&Scheme::summary>("summary", kAny, kRequired, "One-line description of the scheme."),
    field<&Scheme::source>("source", kAny, left_out("none"),
                           "Publication that defines the scheme."),
};
constexpr Field<Scheme> kStageFields[] = {
    field<&Scheme::zero>("zero", from_to(0, 3), kRequired,
                         "ZeRO stages for which the scheme is defined: [0], or any of 1, 2 and 3. "
                         "A file with [between_sites] has neither this key nor any other table."),
};
constexpr Field<Scheme> kTwinFields[] = {
    {.name = "twin",
     .usual = written_out("itself if it is uncompressed; else `sharded`, or `data_parallel` at "
                          "stage 0; between sites `diloco`, or `wan_sync` for gradients"),
     .meaning = "Shipped uncompressed scheme that the baseline `twin` stands for.",
     .value = field_values::words<std::string>,
     .read = [](TomlReader& reader, std::string_view key, const Field<Scheme>&,
                Scheme& scheme) { scheme.twin = reader.text(key); },
     .write =
         [](const Scheme& scheme, const NumberRange&) {
           return scheme.compresses() ? toml_text(scheme.twin) : std::string();
         }},
};

template <class T>
struct Table {
  std::string_view name;
  T Scheme::*member;
  std::span<const Field<T>> (*rows)();
  std::span<const Rule<T>> (*rules)() = [] { return std::span<const Rule<T>>(); };
  std::optional<T> ExpertExchange::*of_experts = nullptr;  // for [experts.NAME], if there is one
};

// The tables of a scheme inside a site.
template <class Visit>
void for_each_table(const Visit& visit) {
  visit(Table<WeightExchange>{"weights", &Scheme::weights, weight_fields, weight_rules,
                              &ExpertExchange::weights});
  visit(Table<GradientExchange>{"gradients", &Scheme::gradients, gradient_fields, gradient_rules,
                                &ExpertExchange::gradients});
  visit(Table<ActivationExchange>{"activations", &Scheme::activations, activation_fields,
                                  activation_rules});
  visit(Table<AllowedOverlap>{"overlap", &Scheme::overlap, overlap_fields});
}

constexpr const char* kSiteTable = "between_sites";
constexpr const char* kExpertTables = "experts";

// Those that a scheme has once more for experts where a file has them, with their names there.
template <class Visit>
void for_each_expert_table(const Visit& visit) {
  for_each_table([&](const auto& table) {
    if (table.of_experts != nullptr) visit(dotted(kExpertTables, table.name), table);
  });
}

// A card given where a scheme is wanted would lack every key of a scheme.
void refuse_card(const TomlDocument& document) {
  const auto wire = document.tables.find("wire");
  if (wire == document.tables.end() || !document.tables.contains("times")) return;
  throw InputError(
      fmt::format("{}:{}:{}: [wire]: the file is a codec card, not a scheme; name it in a scheme "
                  "file, for example as codec = \"{}\" below [gradients] (`gardenhose list scheme "
                  "tlq` prints a scheme file to start from)",
                  document.file, wire->second.line, wire->second.column,
                  printable_path(std::filesystem::path(document.file).filename())));
}

bool is_between_sites(const TomlDocument& document) {
  const auto is_its = [](const auto& leaf) { return leaf.first.starts_with("between_sites."); };
  return document.tables.contains(kSiteTable) || std::ranges::any_of(document.leaves, is_its);
}

// Whether the key or the table belongs to a scheme inside a site.
bool is_inside(std::string_view key) {
  bool found = first_part(key) == kStageFields[0].name || first_part(key) == kExpertTables;
  for_each_table([&](const auto& table) { found = found || first_part(key) == table.name; });
  return found;
}

// Throws one InputError at the first of them.
void refuse_mixture(const TomlDocument& document) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::string> inside;
  for (const auto& [table, place] : document.tables) {
    if (is_inside(table)) inside[{place.line, place.column}] = fmt::format("[{}]", table);
  }
  for (const auto& [key, leaf] : document.leaves) {
    if (is_inside(key)) inside[{leaf.place.line, leaf.place.column}] = key;
  }
  if (inside.empty()) return;
  const auto& [place, name] = *inside.begin();
  throw InputError(
      fmt::format("{}:{}:{}: {}: applies within a site, but [between_sites] makes this a scheme "
                  "between sites; remove one of them, and give the scheme within a site a file of "
                  "its own",
                  document.file, place.first, place.second, name));
}

// Wrong stages are no stages, as what applies depends on them.
void read_stages(TomlReader& reader, Scheme& scheme) {
  read_fields(reader, "", kStageFields, scheme);
  constexpr const char* kKey = "zero";
  std::vector<int>& zero = scheme.zero;
  const auto twice =
      std::ranges::find_if(zero, [&](int stage) { return std::ranges::count(zero, stage) > 1; });
  if (reader.is_good(kKey) && twice != zero.end()) {
    reader.wrong(kKey, fmt::format("has {} twice; write it once", *twice));
  } else if (reader.is_good(kKey) && zero.size() > 1 && scheme.is_defined_for(0)) {
    reader.wrong(kKey,
                 "mixes 0, which shards nothing, with stages that shard; write a file for each");
  }
  if (!reader.is_good(kKey)) zero.clear();
}

void refuse_weights(TomlReader& reader) {
  const std::string why = "applies to gathered weights, and ZeRO-0 gathers none; remove it";
  reader.inapplicable("overlap.weights", why);
  for (const char* table : {"weights", "experts.weights"}) {
    for (const auto& row : weight_fields()) {
      reader.inapplicable(dotted(table, row.name), why + ", or write zero = [1, 2, 3]");
    }
  }
}

// Bound to the same stages as the rest.
void read_experts(TomlReader& reader, Scheme& scheme) {
  reader.optional_table(kExpertTables);
  const std::vector<std::string> tables = reader.tables_in(kExpertTables);
  for_each_expert_table([&](const std::string& name, const auto& table) {
    reader.optional_table(name);
    if (std::ranges::find(tables, table.name) == tables.end()) return;
    auto& exchange = (scheme.experts.*table.of_experts).emplace();
    read_fields(reader, name, table.rows(), exchange);
    check_rules(reader, name, table.rules(), exchange);
  });
  Scheme alone = scheme;
  alone.weights = scheme.weights_of(Weights::experts);
  alone.gradients = scheme.gradients_of(Weights::experts);
  check_rules(reader, kExpertTables, rules_across_tables(), alone);
}

void read_inside(TomlReader& reader, Scheme& scheme) {
  read_stages(reader, scheme);
  if (scheme.is_defined_for(0)) refuse_weights(reader);
  for_each_table([&](const auto& table) {
    reader.optional_table(table.name);
    read_fields(reader, table.name, table.rows(), scheme.*table.member);
    check_rules(reader, table.name, table.rules(), scheme.*table.member);
  });
  read_experts(reader, scheme);
  if (!reader.has("overlap.gradients")) {
    scheme.overlap.gradients = !scheme.gradients.sends_momentum();
  }
  check_rules(reader, "", rules_across_tables(), scheme);
}

void read_between_sites(TomlReader& reader, Scheme& scheme) {
  SiteExchange& exchange = scheme.between_sites.emplace();
  read_fields(reader, kSiteTable, site_exchange_fields(), exchange);
  check_rules(reader, kSiteTable, site_exchange_rules(), exchange);
}

// Shipped, uncompressed, and defined for all stages, or exchanging as much between sites.
bool can_be_twin(const Scheme& twin, const Scheme& scheme) {
  if (twin.compresses() || twin.kind() != scheme.kind()) return false;
  if (twin.between_sites) return twin.between_sites->gradients == scheme.between_sites->gradients;
  return std::ranges::all_of(scheme.zero, [&](int stage) { return twin.is_defined_for(stage); });
}

std::vector<std::string_view> twins_of(const Scheme& scheme) {
  std::vector<std::string_view> twins;
  for (const Scheme* shipped : all_schemes()) {
    if (can_be_twin(*shipped, scheme)) twins.push_back(shipped->name);
  }
  return twins;
}

// Without one: the scheme itself where it does not compress, else the plain form of its sharding, or
// of what its sites exchange.
std::string usual_twin(const Scheme& scheme) {
  if (const auto& exchange = scheme.between_sites) {
    if (exchange->wire.is_plain()) return scheme.name;
    return exchange->gradients ? "wan_sync" : "diloco";
  }
  const bool plain = scheme.sends_plain() && !scheme.weights.secondary_shards;
  return plain ? scheme.name : std::string(twins_of(scheme).front());
}

constexpr Rule<Scheme> kTwinRules[] = {
    {"twin", {"zero"}, [](const Scheme& scheme) -> std::string {
       const auto twins = twins_of(scheme);
       if (std::ranges::find(twins, scheme.twin) != twins.end()) return {};
       const std::string what =
           !scheme.between_sites             ? fmt::format("for zero =  [{}]", joined(scheme.zero))
           : scheme.between_sites->gradients ? "of gradients between sites"
                                             : "of weight changes between sites";
       return fmt::format("'{}' is not a shipped uncompressed scheme {}; write {}",
                          printable(scheme.twin), what, joined(twins, " or "));
     }}};

// Reports call a scheme by its name alone.
void check_name(const Scheme& scheme, const std::filesystem::path& file) {
  for (const Scheme* shipped : all_schemes()) {
    if (shipped->name != scheme.name || *shipped == scheme) continue;
    throw InputError(fmt::format(
        "{}: differs from the shipped scheme of this name; rename the file", printable_path(file)));
  }
}

}  // namespace

std::span<const TomlKey> scheme_file_keys() {
  static const KeyTable keys = [] {
    const Scheme usual;
    KeyTable all = KeyTable()
                       .add("", kHeadFields, usual)
                       .add("", kStageFields, usual)
                       .add("", kTwinFields, usual);
    for_each_table([&](const auto& table) {
      std::move(all).add(table.name, table.rows(), usual.*table.member);
    });
    for_each_expert_table([&](const std::string& name, const auto& table) {
      std::move(all).add(name, table.rows(), usual.*table.member);
    });
    return std::move(all).add(kSiteTable, site_exchange_fields(), SiteExchange());
  }();
  return keys.keys();
}

Scheme parse_scheme(std::string_view text, const std::filesystem::path& file,
                    const CardOf& card_of) {
  TomlDocument document = parse_toml(text, file);
  refuse_card(document);
  const bool between_sites = is_between_sites(document);
  if (between_sites) refuse_mixture(document);
  TomlReader reader(std::move(document), scheme_file_keys());
  reader.context = Cards{file.parent_path(), card_of};
  reader.optional_table(kSiteTable);
  Scheme scheme{.name = file.stem().string()};
  read_fields(reader, "", kHeadFields, scheme);
  (between_sites ? read_between_sites : read_inside)(reader, scheme);
  scheme.twin = usual_twin(scheme);
  read_fields(reader, "", kTwinFields, scheme);
  check_rules(reader, "", kTwinRules, scheme);
  reader.finish();
  check_name(scheme, file);
  return scheme;
}

Scheme read_scheme(const std::filesystem::path& file) {
  return parse_scheme(read_input_text(file), file, read_codec_card);
}

std::string to_toml(const Scheme& scheme) {
  const Scheme usual;
  std::string text =
      written_fields(kHeadFields, scheme, usual) + written_fields(kTwinFields, scheme, usual);
  if (scheme.between_sites) {
    return text + written_fields(site_exchange_fields(), *scheme.between_sites, SiteExchange(),
                                 kSiteTable);
  }
  text += written_fields(kStageFields, scheme, usual);
  for_each_table([&](const auto& table) {
    text += written_fields(table.rows(), scheme.*table.member, usual.*table.member, table.name);
  });
  for_each_expert_table([&](const std::string& name, const auto& table) {
    const auto& exchange = scheme.experts.*table.of_experts;
    if (!exchange) return;
    const std::string rows = written_fields(table.rows(), *exchange, {}, name);
    // All of it may be as usual, which is not as the rest.
    text += rows.empty() ? fmt::format("\n[{}]\n", name) : rows;
  });
  return text;
}

}  // namespace sim
