// SPDX-License-Identifier: Apache-2.0
#include "apps/launch/from_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/arguments.hpp"
#include "apps/completions.hpp"
#include "apps/data_files.hpp"
#include "apps/job/topology_files.hpp"
#include "apps/launch/launch_model.hpp"
#include "apps/print.hpp"
#include "sim/base/error.hpp"
#include "sim/base/joined.hpp"
#include "sim/launch/launch.hpp"
#include "sim/topology/cluster.hpp"

namespace apps {
namespace {

namespace po = boost::program_options;
using sim::InputError;
using sim::launch::Fact;
using sim::launch::Field;
using sim::launch::Launch;

constexpr std::string_view kFrom = "--from";
constexpr std::string_view kPrints = "--print-flags";

using Names = std::set<std::string, std::less<>>;

struct Given {
  std::string from;      // the file; empty without --from
  std::string topology;  // as given
  bool prints = false;
  Names names;     // of flags, without dashes, and of keys of a model's file
  Arguments rest;  // without the two flags
};

// "--from=FILE" or "--from FILE".
Given given_in(const Arguments& arguments) {
  Given given;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const auto value = [&] {
      if (equals != std::string::npos) return word.substr(equals + 1);
      return i + 1 < arguments.size() ? arguments[i + 1] : std::string();
    };
    if (word == kPrints) {
      given.prints = true;
      continue;
    }
    if (name == kFrom) {
      if (!given.from.empty()) throw InputError("--from: is given twice; keep one");
      given.from = value();
      if (given.from.empty()) throw InputError("--from: is empty; name a launch file");
      i += equals == std::string::npos;
      continue;
    }
    given.rest.push_back(word);
    if (!name.starts_with("--")) continue;
    given.names.insert(name.substr(2));
    if (name == "--topology") given.topology = value();
    if (name == "--set") given.names.insert(value().substr(0, value().find('=')));
  }
  return given;
}

struct Line {
  Arguments words;  // "--tp", "8"
  std::string source;
};

std::string source_of(const Fact& fact) {
  if (fact.place.file.empty()) return fact.key;
  const std::filesystem::path file = fact.place.file;
  return fmt::format("{}, {}:{}", fact.key, file.filename().string(), fact.place.line);
}

// --nodes and --gpus-per-node of a number of GPUs, by the nodes of the topology.
void add_gpus(const Launch& launch, const Given& given, std::vector<Line>& lines) {
  if (!launch.gpus || given.topology.empty() || given.names.contains("nodes")) return;
  if (is_wide_area(given.topology)) return;
  const std::filesystem::path file = data_file(Kind::topology, given.topology);
  const auto cluster = sim::read_cluster(file);
  const std::int64_t gpus = *launch.gpus, each = cluster.gpus_per_node;
  const std::string source = fmt::format("{} GPUs", gpus);
  if (gpus < each) {
    lines.push_back({{"--nodes", "1"}, source});
    lines.push_back({{"--gpus-per-node", std::to_string(gpus)}, source});
  } else if (gpus % each == 0) {
    lines.push_back({{"--nodes", std::to_string(gpus / each)}, source});
  } else {
    throw InputError(fmt::format("{}: its {} GPUs are no whole number of nodes of {}; give --nodes",
                                 launch.document.file, gpus, each));
  }
}

[[noreturn]] void ask_for_model(const Launch& launch) {
  if (!launch.model_name) {
    constexpr const char* kNone = "names no model and not its layers, width and heads";
    constexpr const char* kOther =
        "gives sizes, but no shipped model has such positions and experts to put them in";
    throw InputError(fmt::format("{}:1: {}; give --model", launch.document.file,
                                 launch.model.empty() ? kNone : kOther));
  }
  const Fact& name = *launch.model_name;
  throw InputError(
      fmt::format("{}: {} = {}: is no shipped model; save its config.json beside the "
                  "file, or give --model",
                  name.place.text(), name.key, sim::printable_line(name.value, 80)));
}

void add_model(const Launch& launch, const Given& given, std::vector<Line>& lines,
               std::vector<std::string>& assumed) {
  if (given.names.contains("model")) return;
  const auto model = model_of(launch, given.from);
  if (!model) {
    if (!given.prints) ask_for_model(launch);
    assumed.emplace_back("the model is not known here; give --model");
    return;
  }
  lines.push_back({{"--model", model->name}, source_of(model->fact)});
  for (const Field& size : model->settings) {
    lines.push_back({{"--set", size.name + "=" + size.fact.value}, source_of(size.fact)});
  }
  if (!model->assumed.empty()) assumed.push_back(model->assumed);
}

// What a plan chooses itself is not passed on to it.
bool is_chosen_by_plan(std::string_view name) {
  constexpr std::string_view kChosen[] = {"nodes",
                                          "tp",
                                          "pp",
                                          "virtual-stages",
                                          "cp",
                                          "ep",
                                          "etp",
                                          "zero",
                                          "hybrid-shard",
                                          "reshard",
                                          "micro-batch",
                                          "accumulation",
                                          "recompute",
                                          "sequence-parallel",
                                          "overlap",
                                          "global-batch",
                                          "weight-precision",
                                          "backward-prefetch",
                                          "offload-weights"};
  return std::ranges::find(kChosen, name) != std::end(kChosen);
}

const Fact* field_named(const Launch& launch, std::string_view name) {
  const auto found = std::ranges::find(launch.fields, name, &Field::name);
  return found == launch.fields.end() ? nullptr : &found->fact;
}

// A plan's --batch-tokens, where the file says how many sequences a step has.
void add_batch_tokens(const Launch& launch, const Given& given, std::vector<Line>& lines) {
  const Fact* batch = field_named(launch, "global-batch");
  const Fact* sequence = field_named(launch, "sequence");
  if (batch == nullptr || sequence == nullptr || given.names.contains("batch-tokens")) return;
  const auto sequences = sim::parse_count(batch->value), tokens = sim::parse_count(sequence->value);
  std::int64_t product = 0;
  if (!sequences.value || !tokens.value ||
      __builtin_mul_overflow(*sequences.value, *tokens.value, &product))
    return;
  lines.push_back({{"--batch-tokens", std::to_string(product)}, source_of(*batch)});
}

std::vector<Line> lines_of(const Launch& launch, const Given& given,
                           const po::options_description& flags,
                           std::vector<std::string>& assumed) {
  std::vector<Line> lines;
  const bool plans = flags.find_nothrow("batch-tokens", false) != nullptr;
  add_model(launch, given, lines, assumed);
  if (!plans) add_gpus(launch, given, lines);
  if (plans) add_batch_tokens(launch, given, lines);
  for (const Field& field : launch.fields) {
    if (given.names.contains(field.name) || (plans && is_chosen_by_plan(field.name)) ||
        flags.find_nothrow(field.name, false) == nullptr)
      continue;
    lines.push_back({{"--" + field.name, field.fact.value}, source_of(field.fact)});
    if (field.name == "zero" && field.fact.value == "0" && !given.names.contains("scheme")) {
      lines.push_back({{"--scheme", "data_parallel"}, "nothing is sharded"});
    }
  }
  return lines;
}

std::string list_of(std::string_view title, const std::vector<std::string>& items) {
  constexpr std::size_t kMost = 40;
  if (items.empty()) return "";
  std::string text = fmt::format("{}:\n", title);
  for (std::size_t i = 0; i < std::min(items.size(), kMost); ++i) {
    text += fmt::format("  {}\n", items[i]);
  }
  if (items.size() > kMost) text += fmt::format("  and {} more\n", items.size() - kMost);
  return text;
}

std::string text_of(const Launch& launch, const std::vector<Line>& lines,
                    const std::vector<std::string>& assumed) {
  std::size_t width = 0;
  for (const Line& line : lines) width = std::max(width, shell_text(line.words).size());
  std::string text = fmt::format("{}, {}, stands for these flags:\n", launch.document.file,
                                 launch.framework->title);
  for (const Line& line : lines) {
    text += fmt::format("  {:<{}}  # {}\n", shell_text(line.words), width,
                        sim::printable_line(line.source, 120));
  }
  text += list_of("Not in the file", assumed);
  text += list_of("Changes time and is not modelled", launch.not_modelled);
  text += list_of("Not read", launch.document.unread);
  text += list_of("Keys that are not known here, and were not read", launch.unknown);
  return text;
}

}  // namespace

void open_fields_of_file(const Arguments& given, std::set<std::string>& names) {
  const Given flags = given_in(given);
  if (flags.from.empty()) return;
  for (const char* name : {"tp", "zero", "hybrid-shard", "sequence-parallel", "recompute",
                           "overlap", "bucket-size", "micro-batch", "optimizer-state"}) {
    if (!flags.names.contains(name)) names.erase(name);
  }
}

std::optional<Arguments> with_launch_file(const Arguments& arguments,
                                          const po::options_description& flags) {
  Given given = given_in(arguments);
  const bool helps = unfinished_line(arguments).has_value() ||
                     std::ranges::any_of(arguments, [](const std::string& word) {
                       return word.starts_with("--help");
                     });
  if (helps || given.from.empty()) {
    if (given.prints && !helps) throw InputError("--print-flags: needs --from; add it");
    return arguments;
  }
  const Launch launch = sim::launch::read_launch(given.from, given.names);
  std::vector<std::string> assumed;
  const std::vector<Line> lines = lines_of(launch, given, flags, assumed);
  const std::string text = text_of(launch, lines, assumed);
  if (given.prints) {
    print_text("{}", text);
    return std::nullopt;
  }
  print_note("{}\n", text);
  Arguments all{fmt::format("{}={}", kFrom, given.from)};
  for (const Line& line : lines) all.insert(all.end(), line.words.begin(), line.words.end());
  all.insert(all.end(), given.rest.begin(), given.rest.end());
  return all;
}

}  // namespace apps
