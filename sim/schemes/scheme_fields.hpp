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

// Names of a wire's keys, and of the setting that changes its group.
struct WireKeys {
  std::string_view codec, group, setting = {};
};

[[nodiscard]] std::string_view lack_of_groups(const Wire& wire);

// The rows of a member that is a wire. `usual` is the codec's, and `subject` what the wire carries:
// "gathered weights".
template <auto member, class... Conditions>
constexpr auto wire_rows(const WireKeys& keys, const Usual& usual, std::string_view subject,
                         const Conditions&... conditions) {
  using T = typename field_values::Member<decltype(member)>::Class;
  std::array<Field<T>, 2> rows{
      {{.name = keys.codec,
        .usual = usual,
        .meaning = "Codec for {}: a name from `gardenhose list codecs`, or a codec card (a .toml "
                   "file).",
        .subject = subject,
        .value = field_values::words<std::string>,
        .read = [](TomlReader& reader, std::string_view key, const Field<T>&,
                   T& into) { read_codec(reader, key, into.*member); },
        .write = [](const T& from, const NumberRange&) { return codec_text(from.*member); }},
       {.name = keys.group,
        .range = from_to(1, 1 << 20),
        .usual = left_out("the codec's own"),
        .meaning = "Elements of {} that share a scale; a multiple of 32.",
        .subject = subject,
        .value = field_values::words<int>,
        .read = [](TomlReader& reader, std::string_view key, const Field<T>& row,
                   T& into) { read_group(reader, key, row.range, into.*member); },
        .setting = keys.setting,
        .lack = [](const T& of) -> std::string_view {
          if constexpr (requires { of.method; }) {
            if (of.method != nullptr) return "has kernels for one group size only";
          }
          return lack_of_groups(of.*member);
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

}  // namespace sim
