// SPDX-License-Identifier: Apache-2.0
#include "sim/topology/wide_area_keys.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <optional>

namespace sim {
namespace {

constexpr std::array kKinds{EnumName<Transport::Kind>{"tcp", Transport::Kind::tcp},
                            EnumName<Transport::Kind>{"rdma", Transport::Kind::rdma}};
constexpr std::array kSenders{EnumName<Transport::Sender>{"gpu", Transport::Sender::gpu},
                              EnumName<Transport::Sender>{"node", Transport::Sender::node},
                              EnumName<Transport::Sender>{"site", Transport::Sender::site}};
constexpr std::array kControls{EnumName<Tcp::Control>{"reno", Tcp::Control::reno},
                               EnumName<Tcp::Control>{"cubic", Tcp::Control::cubic}};

constexpr int kMostSteps = 100'000;  // inner steps of a round, as a scheme's

// A simulation plays every change until the slowest transfer ends: rounds of days need that.
constexpr Seconds kShortestSpacing = Seconds::from_base(1);

void read_tcp(TomlReader& reader, Transport& transport) {
  const auto has = [&](const char* key) {
    return reader.applies(key, "wan.transport", transport.kind == Transport::Kind::tcp);
  };
  Tcp& tcp = transport.tcp;
  if (has("tcp.streams")) tcp.streams = read_count(reader, "tcp.streams", kMostOfAKind);
  if (has("tcp.window")) tcp.window = reader.quantity<Bytes>("tcp.window");
  if (has("tcp.segment")) tcp.segment = reader.quantity<Bytes>("tcp.segment");
  if (has("tcp.congestion_control")) {
    tcp.control = reader.one_of<Tcp::Control>("tcp.congestion_control", kControls);
  }
}

void read_rdma(TomlReader& reader, Transport& transport) {
  const auto has = [&](const char* key) {
    return reader.applies(key, "wan.transport", transport.kind == Transport::Kind::rdma);
  };
  Rdma& rdma = transport.rdma;
  if (has("rdma.buffer")) rdma.buffer = reader.quantity<Bytes>("rdma.buffer");
  if (has("rdma.channels")) rdma.channels = read_count(reader, "rdma.channels", kMostOfAKind);
}

// "100 s: 0.5": from then on that share of the rate.
std::optional<ShareChange> parse_change(const std::string& text) {
  const auto colon = text.find(':');
  if (colon == std::string::npos) return std::nullopt;
  const auto at = parse_quantity<Seconds>(std::string_view(text).substr(0, colon));
  std::string_view rest = std::string_view(text).substr(colon + 1);
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  double share = 0;
  const auto [stop, error] = std::from_chars(rest.data(), rest.data() + rest.size(), share);
  const bool whole = error == std::errc() && stop == rest.data() + rest.size();
  if (!at.value || at.value->base() <= 0 || !whole || !(share >= 0 && share <= 1)) {
    return std::nullopt;
  }
  return ShareChange{*at.value, share};
}

void read_changes(TomlReader& reader, const std::string& key, Variation& variation) {
  for (const std::string& text : reader.texts(key)) {
    const auto change = parse_change(text);
    if (!change) {
      reader.wrong(key, fmt::format("'{}' is not TIME: SHARE; write e.g. \"100 s: 0.5\", a time "
                                    "above 0 and a share from 0 (down) to 1",
                                    printable(text)));
      return;
    }
    if (!variation.changes.empty() && change->at <= variation.changes.back().at) {
      reader.wrong(
          key,
          fmt::format("'{}' does not come after '{} s'; write the changes in chronological order",
                      printable(text), variation.changes.back().at.base()));
      return;
    }
    variation.changes.push_back(*change);
  }
}

void check_period(TomlReader& reader, const std::string& key, const Variation& variation) {
  const Seconds period = *variation.repeats;
  if (variation.changes.empty()) {
    reader.wrong(key, "without changes there is nothing to repeat; add changes");
  } else if (period <= variation.changes.back().at) {
    reader.wrong(key, "does not exceed the time of the last change; write a longer period");
  } else if (period < kShortestSpacing * static_cast<double>(variation.changes.size())) {
    reader.wrong(key, fmt::format("is less than {} s per change; write a longer period",
                                  kShortestSpacing.base()));
  }
}

}  // namespace

std::string key_in(std::string_view table, std::string_view key) {
  return fmt::format("{}.{}", table, key);
}

int read_count(TomlReader& reader, const std::string& key, int highest) {
  return static_cast<int>(reader.integer(key, {.lowest = 1, .highest = highest}));
}

Transport read_transport(TomlReader& reader) {
  Transport transport;
  transport.kind = reader.one_of<Transport::Kind>("wan.transport", kKinds);
  transport.sender = reader.one_of<Transport::Sender>("wan.sender", kSenders);
  read_tcp(reader, transport);
  read_rdma(reader, transport);
  return transport;
}

SiteSetup read_site_setup(TomlReader& reader, std::string_view table) {
  SiteSetup setup;
  const auto read = [&](const char* leaf, const IntegerRange& range, std::optional<int>& field) {
    const std::string key = key_in(table, leaf);
    if (reader.has(key)) field = static_cast<int>(reader.integer(key, range));
  };
  const IntegerRange count{.lowest = 1, .highest = kMostOfAKind};
  read("micro_batch", count, setup.micro_batch);
  read("accumulation", count, setup.accumulation);
  read("tp", count, setup.tensor);
  read("pp", count, setup.pipeline);
  read("zero", {.lowest = 0, .highest = 3}, setup.zero);
  read("inner_steps", {.lowest = 1, .highest = kMostSteps}, setup.inner_steps);
  const std::string scheme = key_in(table, "inner_scheme");
  if (reader.has(scheme)) setup.inner_scheme = reader.text(scheme);
  return setup;
}

Variation read_variation(TomlReader& reader, std::string_view table) {
  Variation variation;
  const std::string changes = key_in(table, "changes");
  const std::string repeats = key_in(table, "repeats");
  const bool varies = reader.has(changes);
  if (varies) read_changes(reader, changes, variation);
  if (reader.has(repeats)) {
    variation.repeats = reader.quantity<Seconds>(repeats);
    const bool comparable = reader.is_good(repeats) && (!varies || reader.is_good(changes));
    if (comparable) check_period(reader, repeats, variation);
  }
  return variation;
}

}  // namespace sim
