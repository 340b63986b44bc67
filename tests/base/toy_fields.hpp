// SPDX-License-Identifier: Apache-2.0
// Toy: a struct and its rows, one of each kind.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/base/fields.hpp"

namespace toys {

using namespace sim;

enum class Colour { red, green };
inline constexpr EnumName<Colour> kColours[] = {{"red", Colour::red}, {"green", Colour::green}};

struct Engine {
  std::string_view name;
};
inline constexpr Engine kSteam{"steam"}, kDiesel{"diesel"};
inline constexpr const Engine* kEngines[] = {&kSteam, &kDiesel};
inline std::span<const Engine* const> engines() { return kEngines; }

struct Pace {
  Seconds latency;
  double efficiency = 0;
  bool operator==(const Pace&) const = default;
};

struct Paint {
  std::string maker = "any";
  int coats = 2;
  bool operator==(const Paint&) const = default;
};

struct Toy {
  std::string name;
  int wheels = 4;
  double grip = 0.5;
  bool loud = false;
  Bandwidth rate;
  std::optional<Bytes> memory;
  Bandwidth most_rate;
  Colour colour = Colour::green;
  const Engine* engine = &kSteam;
  std::vector<int> seats;
  std::optional<Pace> fast;
  Paint paint;
  bool operator==(const Toy&) const = default;
};

inline constexpr Condition<Toy> kOfDiesel{
    "engine", [](const Toy& toy, std::string_view) { return toy.engine == &kDiesel; }};
inline constexpr Condition<Toy> kOfLoud{
    "loud", [](const Toy& toy, std::string_view) { return toy.loud; }, "goes with loud = true"};

// Rows that belong together, of a table inside the toy's.
inline constexpr std::array kPaintRows{
    field<&Toy::paint, &Paint::maker>("paint.maker", kAny, written_out("any"), "Maker."),
    field<&Toy::paint, &Paint::coats>("paint.coats", from_to(1, 9), kUsualValue, "Coats.")
        .only(kOfLoud),
};

inline constexpr auto kToyFields = joined_rows(
    field<&Toy::name>("name", kAny, kRequired, "Name."),
    field<&Toy::wheels>("wheels", from_to(1, 8), kUsualValue, "Wheels."),
    field<&Toy::grip>("grip", kShare, kUsualValue, "Grip."),
    field<&Toy::loud>("loud", kAny, kUsualValue, "Loud or not."), kPaintRows,
    field<&Toy::rate>("rate", kAboveZero, kRequired, "Rate.", "3 GBps"),
    field<&Toy::memory>("memory", kAboveZero, left_out("none"), "Memory."),
    field<&Toy::most_rate>("most_rate", kAboveZero, left_out("`rate`"), "Highest rate.")
        .filled_by([](Toy& toy) { toy.most_rate = toy.rate; }),
    choice<&Toy::engine, engines>("engine", kUsualValue, "Engine.").remarking("a motor is diesel"),
    choice<&Toy::colour, kColours>("colour", kUsualValue, "Colour.").only(kOfDiesel),
    field<&Toy::seats>("seats", from_to(0, 9), left_out("none"), "Seats.").only(kOfLoud),
    field<&Toy::fast, &Pace::efficiency>("fast_efficiency", kShare,
                                         needed_with("fast_latency", "none"), "Fraction."),
    field<&Toy::fast, &Pace::latency>("fast_latency", kAny, needed_with("fast_efficiency", "none"),
                                      "Latency."));

inline constexpr Rule<Toy> kToyRules[] = {
    {"most_rate",
     {"rate"},
     [](const Toy& toy) {
       return toy.most_rate < toy.rate ? "is below the rate; write more" : std::string();
     }},
};

inline std::span<const TomlKey> toy_keys() {
  static const KeyTable table = KeyTable().add("toy", kToyFields, Toy());
  return table.keys();
}

// The text as a [toy].
inline Toy read_toy(const std::string& text, std::span<const Setting> settings = {}) {
  TomlReader reader(parse_toml(text, "x.toml", settings), toy_keys());
  Toy toy;
  read_fields(reader, "toy", kToyFields, toy);
  check_rules(reader, "toy", kToyRules, toy);
  reader.finish();
  return toy;
}

}  // namespace toys
