// SPDX-License-Identifier: Apache-2.0
// map STORE: the flags of a map of a sweep's results, and what is printed.
#include <fmt/format.h>

#include <algorithm>

#include "apps/arguments.hpp"
#include "apps/map/grid_text.hpp"
#include "apps/map/store_map.hpp"
#include "apps/print.hpp"
#include "apps/print_records.hpp"
#include "apps/terminal.hpp"
#include "sim/report/writers.hpp"

namespace apps {
namespace {

namespace po = boost::program_options;

constexpr const char* kStoreMapUsage =
    "usage: gardenhose map STORE --x INPUT --y INPUT [FLAGS]\n\n"
    "Maps the fastest scheme over any two inputs of a sweep. Each cell shows the fastest "
    "compressed\n"
    "scheme and its throughput relative to the fastest uncompressed one. All other inputs must be\n"
    "equal within a cell; use --where to select points for which they are. The axes of map (see\n"
    "gardenhose map --help) stand for the inputs that they set: bandwidth for "
    "network.nic_bandwidth.\n\n"
    "  gardenhose map study.sqlite --x bandwidth --y nodes\n"
    "  gardenhose map study.sqlite --x nodes --y accumulation --over tp --baseline 1 \\\n"
    "                 --where \"in_scheme = 'sharded'\" --format csv | plots/scheme_map.py > "
    "map.svg\n";

std::optional<StoreMapOptions> parse_store_map(const Arguments& arguments) {
  StoreMapOptions o;
  po::options_description flags("Flags");
  auto add = flags.add_options();
  add("store", po::value(&o.store)->required(),
      "SQLite file of the sweep (--store itself may be omitted)");
  add("x", po::value(&o.x)->required(),
      "input on the horizontal axis, as spelt in the sweep, e.g. network.nic_bandwidth; or an axis "
      "of map, e.g. bandwidth");
  add("y", po::value(&o.y)->required(), "the same on the vertical axis");
  add("over", po::value(&o.over)->default_value("scheme"), "input whose values are compared");
  add("baseline", po::value(&o.baseline),
      "value of --over to compare the others with (default for schemes: the fastest one that sends "
      "values uncompressed)");
  add("where", po::value(&o.where),
      "SQL condition on the points, evaluated on the view all_points, e.g. \"in_tp = 1 and mfu > "
      "0.1\"");
  flags.add(format_flag(o.format));
  if (!parse_arguments(arguments, kStoreMapUsage, flags, {{"store"}})) return std::nullopt;
  check_format(o.format);
  return o;
}

Inputs record_of(const StoreMapOptions& options, const StoreMap& map, const StoreCell& cell) {
  using Side = std::optional<Contender>;
  const auto verdict = cell.verdict();
  const auto speedup = cell.speedup();
  const auto range = cell.range();
  const auto name = [](const Side& who) { return who ? Inputs(who->over) : Inputs(); };
  const auto tokens = [](const Side& who) {
    return who ? Inputs(who->speed.tokens_per_s) : Inputs();
  };
  const bool is_faster = cell.challenger && (!cell.baseline || speedup > 1);
  return {{"x_input", map.x},
          {"x", cell.x},
          {"y_input", map.y},
          {"y", cell.y},
          {"over", options.over},
          {"fastest", name(is_faster ? cell.challenger : cell.baseline)},
          {"pays", verdict == sim::Verdict::win},
          {"verdict", verdict ? Inputs(sim::verdict_name(*verdict)) : Inputs()},
          {"speedup", speedup ? Inputs(*speedup) : Inputs()},
          {"baseline", name(cell.baseline)},
          {"baseline_tokens_per_s", tokens(cell.baseline)},
          {"challenger", name(cell.challenger)},
          {"challenger_tokens_per_s", tokens(cell.challenger)},
          {"x_number", number_of(cell.x)},
          {"y_number", number_of(cell.y)},
          {"speedup_low", range ? Inputs(range->low) : Inputs()},
          {"speedup_high", range ? Inputs(range->high) : Inputs()}};
}

GridCell grid_cell(const StoreCell& cell) {
  const auto name = [](const std::optional<Contender>& who) { return who ? who->over : ""; };
  return {.challenger = name(cell.challenger),
          .baseline = name(cell.baseline),
          .verdict = cell.verdict(),
          .speedup = cell.speedup(),
          .range = cell.range()};
}

void print_table(const StoreMapOptions& options, const StoreMap& map) {
  Grid grid{
      .corner = fmt::format("{} by {}", map.y, map.x), .columns = {}, .rows = {}, .cells = {}};
  for (const Inputs& x : map.xs) grid.columns.push_back(text_of(x));
  for (const Inputs& y : map.ys) {
    grid.rows.push_back(text_of(y));
    auto& row = grid.cells.emplace_back();
    for (const Inputs& x : map.xs) {
      const auto found = std::ranges::find_if(
          map.cells, [&](const StoreCell& cell) { return cell.x == x && cell.y == y; });
      row.push_back(found == map.cells.end() ? std::nullopt : std::optional(grid_cell(*found)));
    }
  }
  print_text(
      "{}: the fastest {} and its throughput over that of the fastest baseline, in brackets where\n"
      "it does not win: slower, or too close to call\n\n",
      options.store, options.over);
  print_styled(grid_text(grid, output_width()));
  print_text("\n");
  print_styled(sim::range_and_fit_notes(true, true));
}

}  // namespace

int map_of_store(const Arguments& arguments) {
  const auto options = parse_store_map(arguments);
  if (!options) return 0;
  Store store(options->store, sim::sweep::Access::read);
  const StoreMap map = map_store(store, *options);
  if (options->format == "table") print_table(*options, map);
  std::vector<Inputs> records;
  for (const StoreCell& cell : map.cells) records.push_back(record_of(*options, map, cell));
  print_records(options->format, records);
  note_open(store);
  return 0;
}

}  // namespace apps
