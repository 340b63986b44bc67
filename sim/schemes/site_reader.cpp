// SPDX-License-Identifier: Apache-2.0
// [between_sites] of scheme files: which keys each exchange has, and what it cannot do.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sim/base/error.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/schemes/scheme_keys.hpp"
#include "sim/workload/parallelism_names.hpp"

namespace sim {
namespace {

constexpr std::int64_t kMostStepsInFile = 100'000;
constexpr IntegerRange kCounts{.lowest = 1, .highest = 1024};
constexpr NumberRange kBytesPerParameter{.lowest = 0, .highest = 1024};

class SiteReader {
 public:
  SiteReader(TomlReader& reader, WireReader& wires) : reader_(reader), wires_(wires) {}

  SiteExchange read() {
    exchange_.exchange = reader_.one_of("between_sites.exchange", all_exchanges());
    read_wire();
    if (has("gradients")) exchange_.gradients = reader_.boolean("between_sites.gradients");
    exchange_.gradients ? refuse_rounds() : read_rounds();
    read_quorum();
    read_ring_order();
    read_fan_out();
    if (has("optimizer")) {
      exchange_.optimizer = reader_.one_of<Optimizer>("between_sites.optimizer", kOptimizers);
    }
    for (const auto& [key, bytes] : {std::pair{"state_bytes", &exchange_.state_bytes},
                                     std::pair{"update_bytes", &exchange_.update_bytes}}) {
      if (has(key)) *bytes = reader_.number(in_table(key), kBytesPerParameter);
    }
    read_outer_state();
    return exchange_;
  }

 private:
  static std::string in_table(std::string_view key) { return fmt::format("between_sites.{}", key); }
  bool has(std::string_view key) { return reader_.has(in_table(key)); }
  [[nodiscard]] bool is_good(std::string_view key) const { return reader_.is_good(in_table(key)); }

  void read_wire() {
    exchange_.wire = wires_.read_or("between_sites", exchange_.wire);
    const bool good = !has("codec") || is_good("codec");
    const bool sums = is_good("exchange") && exchange_.exchange->sums_in_flight;
    if (good && sums && !exchange_.wire.is_summable()) {
      reader_.wrong("between_sites.codec",
                    fmt::format("{} cannot be added up in flight, as a ring does; write another "
                                "exchange, such as quantized_ring or all_to_all",
                                exchange_.wire.name()));
    }
    if (good && exchange_.wire.is_plain()) {
      reader_.inapplicable("between_sites.feedback",
                           "carries on what a codec loses, and these values travel uncompressed; "
                           "remove it, or name a codec");
    } else if (has("feedback")) {
      exchange_.feedback = reader_.boolean("between_sites.feedback");
    }
    if (has("sent_per_byte")) {
      exchange_.sent_per_byte = reader_.number("between_sites.sent_per_byte",
                                               {.lowest = 0, .highest = 1024, .above_zero = true});
    }
  }

  void refuse_rounds() {
    for (const char* key :
         {"inner_steps", "across_every", "fragments", "overlap_steps", "delayed", "outer_state"}) {
      reader_.inapplicable(in_table(key),
                           "applies to weight changes, but gradients are exchanged in every step; "
                           "remove it, or write gradients = false");
    }
  }

  void read_rounds() {
    exchange_.inner_steps = static_cast<int>(
        reader_.integer("between_sites.inner_steps", {.lowest = 1, .highest = kMostStepsInFile}));
    read_regions();
    if (has("fragments")) {
      exchange_.fragments = static_cast<int>(reader_.integer("between_sites.fragments", kCounts));
    }
    if (has("delayed")) exchange_.delayed = reader_.boolean("between_sites.delayed");
    if (exchange_.delayed) exchange_.overlap_steps = 1;
    if (has("overlap_steps")) read_overlap();
    check_steps("fragments", exchange_.fragments);
    check_steps("overlap_steps", exchange_.overlap_steps);
  }

  void read_overlap() {
    exchange_.overlap_steps = static_cast<int>(
        reader_.integer("between_sites.overlap_steps", {.lowest = 0, .highest = kMostStepsInFile}));
    if (!exchange_.delayed || !is_good("overlap_steps") || exchange_.overlap_steps > 0) return;
    reader_.wrong("between_sites.overlap_steps",
                  "is 0, but a delayed exchange overlaps at least one step; write 1 or more");
  }

  void read_regions() {
    if (is_good("exchange") && !exchange_.exchange->works_in_regions) {
      reader_.inapplicable("between_sites.across_every",
                           "does not apply to flat_ring, pair, leader and syncer; remove it");
      return;
    }
    if (!has("across_every")) return;
    exchange_.across_every =
        static_cast<int>(reader_.integer("between_sites.across_every", kCounts));
    const std::int64_t steps = std::int64_t{exchange_.inner_steps} * exchange_.across_every;
    if (!is_good("across_every") || !is_good("inner_steps") || steps <= kMostStepsInFile) return;
    reader_.wrong(
        "between_sites.across_every",
        fmt::format("{} steps between two exchanges across regions exceed the limit of {}; "
                    "write less",
                    steps, kMostStepsInFile));
  }

  void check_steps(const char* key, int steps) {
    if (!is_good(key) || !is_good("inner_steps") || steps <= exchange_.inner_steps) return;
    reader_.wrong(in_table(key), fmt::format("{} exceeds the {} inner steps of a round; write less",
                                             steps, exchange_.inner_steps));
  }

  void read_ring_order() {
    if (is_good("exchange") && !exchange_.exchange->is_ring) {
      reader_.inapplicable("between_sites.ring_order", "applies only to rings; remove it");
    } else if (has("ring_order")) {
      exchange_.ring_order = reader_.one_of<RingOrder>("between_sites.ring_order", kRingOrders);
    }
  }

  void read_fan_out() {
    const bool given = has("fan_out");
    const bool good = is_good("exchange");
    if (good && !exchange_.exchange->fans_out) {
      reader_.inapplicable("between_sites.fan_out", "applies only to tree_gather; remove it");
    } else if (good || given) {
      exchange_.fan_out = static_cast<int>(reader_.integer("between_sites.fan_out", kCounts));
    }
  }

  void read_outer_state() {
    if (exchange_.gradients) return;
    if (is_good("state_bytes") && exchange_.state_bytes > 0) {
      if (has("outer_state")) {
        exchange_.outer_state =
            reader_.one_of<OuterState>("between_sites.outer_state", kOuterStates);
      }
    } else if (!has("state_bytes") || is_good("state_bytes")) {
      reader_.inapplicable("between_sites.outer_state",
                           "applies to a state that the scheme does not keep; write state_bytes");
    } else {
      static_cast<void>(has("outer_state"));
    }
  }

  void read_quorum() {
    if (is_good("exchange") && !exchange_.exchange->has_leader) {
      for (const char* key : {"quorum", "grace"}) {
        reader_.inapplicable(in_table(key),
                             "applies only to leader and syncer, which wait for a quorum; "
                             "remove it");
      }
      return;
    }
    if (has("quorum")) {
      exchange_.quorum = static_cast<int>(reader_.integer("between_sites.quorum", kCounts));
    } else {
      reader_.inapplicable("between_sites.grace", "begins with a quorum; write quorum too");
    }
    if (has("grace")) {
      exchange_.grace = reader_.quantity<Seconds>("between_sites.grace", Zero::allowed);
    }
  }

  TomlReader& reader_;
  WireReader& wires_;
  SiteExchange exchange_;
};

// Whether the key, or the table, belongs to a scheme within a site.
bool is_inside(std::string_view key) {
  constexpr std::array<std::string_view, 5> tables{"zero", "weights", "gradients", "activations",
                                                   "overlap"};
  return std::ranges::find(tables, key.substr(0, key.find('.'))) != tables.end();
}

}  // namespace

bool is_between_sites(const TomlDocument& document) {
  return document.tables.contains("between_sites") ||
         std::ranges::any_of(document.leaves, [](const auto& leaf) {
           return leaf.first.starts_with("between_sites.");
         });
}

void refuse_mixture(const TomlDocument& document) {
  const TomlPlace* first = nullptr;
  std::string name;
  const auto note = [&](const std::string& wrong, const TomlPlace& place) {
    if (first != nullptr &&
        std::pair(first->line, first->column) <= std::pair(place.line, place.column)) {
      return;
    }
    first = &place;
    name = wrong;
  };
  for (const auto& [table, place] : document.tables) {
    if (is_inside(table)) note(fmt::format("[{}]", table), place);
  }
  for (const auto& [key, leaf] : document.leaves) {
    if (is_inside(key)) note(key, leaf.place);
  }
  if (first == nullptr) return;
  throw InputError(
      fmt::format("{}:{}:{}: {}: applies within a site, but [between_sites] makes this a scheme "
                  "between sites; remove one of them, and give the scheme within a site a file of "
                  "its own",
                  document.file, first->line, first->column, name));
}

SiteExchange read_site_exchange(TomlReader& reader, WireReader& wires) {
  return SiteReader(reader, wires).read();
}

}  // namespace sim
