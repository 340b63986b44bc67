// SPDX-License-Identifier: Apache-2.0
// The keys of a scheme file, a row each. A wire's keys are a row wherever a file may have a wire.
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "sim/base/fields.hpp"
#include "sim/schemes/scheme_file.hpp"

namespace sim {

inline constexpr EnumName<RingOrder> kRingOrders[]{
    {"given", RingOrder::given}, {"best", RingOrder::best}, {"worst", RingOrder::worst}};
inline constexpr EnumName<OuterState> kOuterStates[]{{"gpu", OuterState::gpu},
                                                     {"host", OuterState::host}};

// TomlReader::context of a scheme file: the cards that its wires name.
struct Cards {
  std::filesystem::path folder;
  CardOf card_of;
  std::map<std::string, std::shared_ptr<const CodecCard>> read = {};  // nullptr: has problems
};

void read_codec(TomlReader& reader, std::string_view key, Wire& wire);
void read_group(TomlReader& reader, std::string_view key, const NumberRange& range, Wire& wire);
[[nodiscard]] std::string codec_text(const Wire& wire);

// Names of a wire's keys.
struct WireKeys {
  std::string_view codec, group;
};

// The rows of a member that is a wire. `usual` is the codec's, and `subject` begins what the list of
// keys says of it: "Codec for gathered weights".
template <auto member, class... Conditions>
constexpr auto wire_rows(const WireKeys& keys, const Usual& usual, std::string_view subject,
                         const Conditions&... conditions) {
  using T = typename field_values::Member<decltype(member)>::Class;
  std::array<Field<T>, 2> rows{
      {{.name = keys.codec,
        .usual = usual,
        .meaning = ": a name from `gardenhose list codecs`, or a codec card (a .toml file).",
        .subject = subject,
        .value = field_values::words<std::string>,
        .read = [](TomlReader& reader, std::string_view key, const Field<T>&,
                   T& into) { read_codec(reader, key, into.*member); },
        .write = [](const T& from, const NumberRange&) { return codec_text(from.*member); }},
       {.name = keys.group,
        .range = from_to(1, 1 << 20),
        .usual = left_out("the codec's own"),
        .meaning = "Elements that share a scale; a multiple of 32.",
        .value = field_values::words<int>,
        .read = [](TomlReader& reader, std::string_view key, const Field<T>& row, T& into) {
          read_group(reader, key, row.range, into.*member);
        }}}};
  for (Field<T>& row : rows) ((row = row.only(conditions)), ...);
  return rows;
}

[[nodiscard]] std::span<const Field<WeightExchange>> weight_fields();
[[nodiscard]] std::span<const Field<GradientExchange>> gradient_fields();
[[nodiscard]] std::span<const Field<ActivationExchange>> activation_fields();
[[nodiscard]] std::span<const Field<AllowedOverlap>> overlap_fields();
[[nodiscard]] std::span<const Field<SiteExchange>> site_exchange_fields();
[[nodiscard]] std::span<const Rule<WeightExchange>> weight_rules();
[[nodiscard]] std::span<const Rule<GradientExchange>> gradient_rules();
[[nodiscard]] std::span<const Rule<ActivationExchange>> activation_rules();
[[nodiscard]] std::span<const Rule<SiteExchange>> site_exchange_rules();
[[nodiscard]] std::span<const Rule<Scheme>> rules_across_tables();

// Rows of [between_sites] as settings of a scheme between sites: "scheme.inner_steps".
[[nodiscard]] std::span<const TomlKey> site_setting_keys();
// What the exchange lacks for the setting to apply; empty: nothing.
[[nodiscard]] std::string_view site_setting_lack(std::string_view key,
                                                 const SiteExchange& exchange);
// Throws an InputError for wrong values.
void set_site_exchange(std::span<const Setting> settings, SiteExchange& exchange);

}  // namespace sim
