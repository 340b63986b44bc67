// SPDX-License-Identifier: Apache-2.0
// list: what ships, with one line each.
#include <fmt/args.h>
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "apps/arguments.hpp"
#include "apps/catalogue.hpp"
#include "apps/data_files.hpp"
#include "apps/flag.hpp"
#include "apps/flag_values.hpp"
#include "apps/print.hpp"
#include "sim/base/error.hpp"
#include "sim/base/file.hpp"
#include "sim/base/joined.hpp"
#include "sim/base/names.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/report/report.hpp"
#include "sim/schemes/scheme_file.hpp"
#include "sim/workload/model.hpp"

namespace apps {
namespace {

namespace po = boost::program_options;

constexpr const char* kListUsage =
    "usage: gardenhose list [SECTION...] [--format json]\n"
    "       gardenhose list scheme NAME     print a shipped scheme as a file to edit and run\n"
    "       gardenhose list topology NAME   print a shipped cluster or group of sites as a file\n"
    "       gardenhose list model NAME      print a shipped model as a file\n"
    "       gardenhose list reliability NAME\n"
    "                                       print shipped failures and recovery as a file\n\n"
    "  gardenhose list scheme sdp4bit > mine.toml\n"
    "  gardenhose run --topology sdp4bit_a100 --model gpt_2.7b --scheme mine.toml\n";

struct ListOptions {
  std::vector<std::string> wanted;
  std::string format;
};

bool is_among(const std::vector<std::string>& wanted, std::string_view name) {
  return std::ranges::find(wanted, name) != wanted.end();
}

std::string section_names(bool always) {
  std::vector<std::string_view> names;
  for (const Section& section : catalogue()) {
    if (section.always == always) names.push_back(section.name);
  }
  return sim::joined(names);
}

std::optional<ListOptions> parse_list(const Arguments& arguments) {
  ListOptions o;
  const std::string help =
      fmt::format("{} (default: all of these); also {}", section_names(true), section_names(false));
  po::options_description flags;
  flags.add(flag("section", po::value(&o.wanted), help.c_str(),
                 {.values = [] { return row_names(catalogue()); }}));
  flags.add_options()("format", po::value(&o.format)->default_value("table"), "table|json");
  if (!parse_arguments(arguments, kListUsage, flags, {{"section", -1}})) return std::nullopt;
  if (o.format != "table" && o.format != "json") {
    const std::string_view known[] = {"table", "json"};
    sim::refuse_name("--format", o.format, known);
  }
  return o;
}

void print_scheme(const std::vector<std::string>& wanted) {
  if (wanted.size() != 2) {
    throw sim::InputError("list: scheme takes one name; see gardenhose list schemes");
  }
  print_text("{}", sim::to_toml(sim::scheme_named(wanted[1], "list scheme")));
}

// A section's name, and the kind of its files.
struct ListedFile {
  std::string_view name, plural;
  std::vector<Kind> kinds;
};

// What the model's keys amount to, as comments.
std::string size_comment(const sim::Model& model) {
  const sim::ModelSize size = sim::size_of(model);
  const sim::ParametersByPart& parts = size.parameters;
  std::string text = fmt::format("# {}:\n", sim::parameters_text(parts));
  const auto add = [&](const char* part, std::int64_t count) {
    if (count > 0) text += fmt::format("#   {:<28} {:>17}\n", part, count);
  };
  add("attention", parts.attention);
  add("feed-forward", parts.feed_forward);
  add("experts", parts.experts);
  add("norms", parts.norms);
  add("embedding, head, last norm", parts.ends);
  add("all", parts.total);
  add("of one token", parts.active);
  add("without its embedding", parts.active_without_words);
  add("further tokens", parts.predictions);
  return text + fmt::format(
                    "# GFLOP a token, forward and backward: {:.5g} with whole attention, "
                    "{:.5g} with its causal half\n",
                    size.flop_per_token * 1e-9, size.flop_per_token_causal * 1e-9);
}

void print_file(const ListedFile& listed, const std::vector<std::string>& wanted) {
  if (wanted.size() != 2) {
    throw sim::InputError(
        fmt::format("list: {} takes one name; see gardenhose list {}", listed.name, listed.plural));
  }
  std::vector<std::string> known;
  for (const Kind kind : listed.kinds) {
    for (const auto& file : shipped_files(kind)) {
      known.push_back(file.stem().string());
      if (known.back() != wanted[1]) continue;
      print_text("{}", sim::read_file(file));
      if (kind == Kind::model) print_text("{}", size_comment(sim::read_model(file)));
      return;
    }
  }
  const std::vector<std::string_view> names(known.begin(), known.end());
  throw sim::InputError(fmt::format("list {}: no shipped file is named '{}'{}", listed.name,
                                    sim::printable(wanted[1]),
                                    sim::suggestion_and_list(wanted[1], names)));
}

bool is_printed(const std::vector<std::string>& wanted) {
  if (wanted.empty()) return false;
  if (wanted.front() == "scheme") {
    print_scheme(wanted);
    return true;
  }
  const ListedFile all[] = {{"topology", "topologies", {Kind::topology, Kind::wide_area}},
                            {"model", "models", {Kind::model}},
                            {"reliability", "reliabilities", {Kind::reliability}}};
  for (const ListedFile& listed : all) {
    if (wanted.front() != listed.name) continue;
    print_file(listed, wanted);
    return true;
  }
  return false;
}

void check_names(const std::vector<std::string>& wanted) {
  std::vector<std::string_view> known;
  for (const Section& section : catalogue()) known.push_back(section.name);
  for (const std::string& name : wanted) {
    if (std::ranges::find(known, name) != known.end()) continue;
    throw sim::InputError(fmt::format("list: '{}' is not one of: {}, {}{}", sim::printable(name),
                                      section_names(true), section_names(false),
                                      sim::suggestion(name, known)));
  }
}

std::string line_of(std::string_view format, const std::vector<std::string>& row) {
  fmt::dynamic_format_arg_store<fmt::format_context> cells;
  for (const std::string& cell : row) cells.push_back(cell);
  std::string line = fmt::vformat(format, cells);
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

// On lines of a terminal's usual width, if its words are shorter; the later ones start below the first
// one's text and two further.
std::string wrapped(std::string_view line) {
  constexpr std::size_t kWidth = 90;
  const std::string indent(line.find_first_not_of(' ') + 4, ' ');
  std::string text;
  while (line.size() > kWidth) {
    const std::size_t space = line.rfind(' ', kWidth);
    if (space == std::string_view::npos || space <= line.find_first_not_of(' ')) break;
    text += fmt::format("{}\n{}", line.substr(0, space), indent);
    line.remove_prefix(space + 1);
  }
  return text + std::string(line);
}

void print_rows(const Listing& listing) {
  std::vector<std::string> above(listing.above.size());
  for (const auto& row : listing.rows) {
    bool is_new = false;
    for (std::size_t i = 0; i < above.size(); ++i) {
      std::string line = line_of(listing.above[i], row);
      is_new = is_new || line != above[i];
      if (is_new) print_text("  {}\n", wrapped(line));
      above[i] = std::move(line);
    }
    print_text("  {}\n", line_of(listing.line, row));
  }
}

void print(const std::vector<Listing>& listings) {
  const char* separator = "";
  for (const Listing& listing : listings) {
    print_text("{}", separator);
    print_styled({{std::string(listing.heading), sim::Style::heading}, {"\n"}});
    print_rows(listing);
    separator = "\n";
  }
}

void print_all_json(const std::vector<Listing>& listings) {
  nlohmann::ordered_json all;
  for (const Listing& listing : listings) {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const auto& row : listing.rows) {
      nlohmann::ordered_json cells;
      for (std::size_t i = 0; i < row.size(); ++i) cells[std::string(listing.columns[i])] = row[i];
      rows.push_back(std::move(cells));
    }
    all[std::string(listing.name)] = {{"heading", listing.heading}, {"rows", std::move(rows)}};
  }
  print_json(all.dump(1) + "\n");
}

}  // namespace

int list_command(const Arguments& arguments) {
  const auto options = parse_list(arguments);
  if (!options) return 0;
  if (is_printed(options->wanted)) return 0;
  check_names(options->wanted);
  std::vector<Listing> listings;
  for (const Section& section : catalogue()) {
    if (options->wanted.empty() ? !section.always : !is_among(options->wanted, section.name)) {
      continue;
    }
    std::ranges::move(section.listings(), std::back_inserter(listings));
  }
  options->format == "json" ? print_all_json(listings) : print(listings);
  return 0;
}

}  // namespace apps
