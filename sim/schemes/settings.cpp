// SPDX-License-Identifier: Apache-2.0
// Settings of schemes: rows of scheme files, read into a scheme that is there.
#include <fmt/format.h>

#include <functional>

#include "sim/base/joined.hpp"
#include "sim/base/names.hpp"
#include "sim/schemes/scheme.hpp"
#include "sim/schemes/scheme_fields.hpp"

namespace sim {
namespace {

constexpr std::string_view kTable = "scheme";

// A setting that no file has: there the codec's name says it.
constexpr Field<SiteExchange> kKeepFields[] = {
    {.name = "keep",
     .range = from_to(2, 1 << 20),
     .meaning = "Elements sent from each group: an even number, at most the group's size.",
     .value = field_values::words<int>,
     .read =
         [](TomlReader& reader, std::string_view key, const Field<SiteExchange>& row,
            SiteExchange& into) {
           codecs::Format& format = into.wire.format;
           const auto keep = field_values::read<std::size_t>(reader, key, row.range);
           if (!reader.is_good(key)) return;
           if (keep > format.group) {
             reader.wrong(
                 key, fmt::format("{} exceeds the group of {}; write less", keep, format.group));
           } else if (keep % 2 != 0) {
             reader.wrong(key, fmt::format("{} is not even; write an even number", keep));
           } else {
             format.keep = keep;
           }
         },
     .setting = "keep",
     .lack = [](const SiteExchange& of) -> std::string_view {
       return !of.wire.card && of.wire.format.keep > 0 ? "" : "sends all elements";
     }},
};

// The parts of a scheme that have settings, with their rows and rules.
template <class Visit>
void for_each_part(SchemeKind kind, const Visit& visit) {
  const auto exchange = [](auto& scheme) -> auto& { return *scheme.between_sites; };
  if (kind == SchemeKind::between_sites) {
    visit(exchange, site_exchange_fields(), site_exchange_rules());
    visit(exchange, std::span(kKeepFields), std::span<const Rule<SiteExchange>>());
  } else {
    visit(&Scheme::weights, weight_fields(), weight_rules());
    visit(&Scheme::gradients, gradient_fields(), gradient_rules());
  }
}

template <class Visit>
void for_each_setting(SchemeKind kind, const Visit& visit) {
  for_each_part(kind, [&](const auto& part, const auto& rows, const auto&) {
    for (const auto& row : rows) {
      if (!row.setting.empty()) visit(dotted(kTable, row.setting), part, row);
    }
  });
}

KeyTable settings_of(SchemeKind kind) {
  KeyTable table;
  for_each_setting(kind, [&]<class T>(const std::string& key, const auto&, const Field<T>& row) {
    if (row_of(table.keys(), key) != nullptr) return;
    Field<T> named = row;
    named.name = row.setting;
    named.usual = left_out("the scheme's own");
    std::move(table).add(kTable, {&named, 1}, T());
  });
  return table;
}

void refuse_unknown(const Setting& setting, std::span<const TomlKey> keys) {
  if (row_of(keys, setting.key) != nullptr) return;
  std::vector<std::string_view> known, leaves;
  for (const TomlKey& row : keys) {
    known.push_back(row.key);
    leaves.push_back(leaf_part(row.key));
  }
  const std::string table = dotted(kTable, "");
  const std::size_t start = setting.key.starts_with(table) ? table.size() : 0;
  const std::string_view meant = closest_name(setting.key.substr(start), leaves);
  refuse(setting, meant.empty() ? fmt::format("unknown key; known: {}", joined(known))
                                : fmt::format("unknown key; did you mean {}? Known: {}",
                                              dotted(kTable, meant), joined(known)));
}

// What the scheme lacks for the setting; empty: nothing. Rows of one setting are for different
// exchanges: it needs one of them.
std::string_view lack_for(const Setting& setting, const Scheme& scheme) {
  refuse_unknown(setting, scheme_settings(scheme.kind()));
  std::string_view lack;
  bool applies = false;
  for_each_setting(scheme.kind(), [&](const std::string& key, const auto& part, const auto& row) {
    if (key != setting.key) return;
    const std::string_view one = lack_of(row, std::invoke(part, scheme));
    applies = applies || one.empty();
    lack = one;
  });
  return applies ? "" : lack;
}

}  // namespace

std::span<const TomlKey> scheme_settings(SchemeKind kind) {
  static const KeyTable inside = settings_of(SchemeKind::inside);
  static const KeyTable between_sites = settings_of(SchemeKind::between_sites);
  return kind == SchemeKind::inside ? inside.keys() : between_sites.keys();
}

bool takes(const Scheme& scheme, const Setting& setting) {
  return lack_for(setting, scheme).empty();
}

Scheme with_settings(Scheme scheme, std::span<const Setting> settings) {
  if (settings.empty()) return scheme;
  for (const Setting& setting : settings) {
    const std::string_view lack = lack_for(setting, scheme);
    if (!lack.empty()) refuse(setting, fmt::format("{} {}", scheme.name, lack));
  }
  TomlDocument document;
  apply_settings(settings, document);
  TomlReader reader(std::move(document), scheme_settings(scheme.kind()));
  for_each_part(scheme.kind(), [&](const auto& part, const auto& rows, const auto& rules) {
    auto& into = std::invoke(part, scheme);
    for (const auto& row : rows) {
      const std::string key = dotted(kTable, row.setting);
      const bool is_given = !row.setting.empty() && reader.has(key);
      if (is_given && lack_of(row, into).empty()) row.read(reader, key, row, into);
    }
    check_rules(reader, kTable, rules, into);
  });
  reader.finish();
  // Of one level there is one wire.
  if (!scheme.gradients.algorithm->has_levels()) scheme.gradients.inside = scheme.gradients.between;
  return scheme;
}

}  // namespace sim
