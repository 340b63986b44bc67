// SPDX-License-Identifier: Apache-2.0
#include "sim/launch/launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/base/printable.hpp"

namespace sim::launch {
namespace {

constexpr std::string_view kDeepSpeed = "deepspeed";

std::string shown(const Entry& entry) {
  constexpr std::size_t kMost = 80;
  return fmt::format("{}: {} = {}", entry.place.text(), printable_line(entry.key, kMost),
                     printable_line(entry.value, kMost));
}

// A DeepSpeed JSON has its keys at its top where it stands alone, and below "deepspeed." elsewhere.
void nest_deepspeed(Document& document) {
  for (Entry& entry : document.entries) entry.key = fmt::format("{}.{}", kDeepSpeed, entry.key);
}

bool is_deepspeed(const Document& document) {
  return find(document, "pipe_parallel_size") == nullptr &&
         find(document, "pipe-parallel-size") == nullptr &&
         find(document, "zero_optimization.stage") != nullptr &&
         find(document, "num_layers") == nullptr && find(document, "num-layers") == nullptr;
}

// Adds the DeepSpeed JSON that the document names: as a path from here or from a folder above the file,
// or beside it.
void read_named_deepspeed(const std::filesystem::path& file, Document& document) {
  const Entry* entry = find(document, kDeepSpeed);
  if (entry == nullptr || !entry->value.ends_with(".json")) return;
  std::filesystem::path named = entry->value;
  std::error_code error;
  // Frameworks start in the root of a repository, somewhere above the file.
  const std::filesystem::path written = named;
  std::filesystem::path folder_above = std::filesystem::absolute(file, error).parent_path();
  while (written.is_relative() && !std::filesystem::is_regular_file(named, error) &&
         folder_above.has_relative_path()) {
    named = folder_above / written;
    folder_above = folder_above.parent_path();
  }
  if (!std::filesystem::is_regular_file(named, error)) {
    named = file.parent_path() / written.filename();
  }
  if (!std::filesystem::is_regular_file(named, error)) {
    const auto same_end = [&](const std::filesystem::directory_entry& one) {
      return one.path().filename().string().ends_with(named.filename().string());
    };
    const auto folder = file.parent_path().empty() ? "." : file.parent_path();
    for (const auto& one : std::filesystem::directory_iterator(folder, error)) {
      if (same_end(one)) named = one.path();
    }
  }
  if (!std::filesystem::is_regular_file(named, error)) {
    throw InputError(
        fmt::format("{}: {}: {} is neither here, above the file nor beside it; save it "
                    "there",
                    entry->place.text(), kDeepSpeed, printable_line(entry->value, 80)));
  }
  Document other = read_document(named);
  nest_deepspeed(other);
  for (Entry& one : other.entries) add(document, std::move(one));
}

void read_entry(const Framework& framework, const Entry& entry, Facts& facts, Launch& launch) {
  const KeyRow* row = row_of(framework, entry.key);
  if (row == nullptr) return launch.unknown.push_back(shown(entry));
  if (row->effect == KeyRow::Effect::harmless) return;
  if (row->effect == KeyRow::Effect::unmodelled) {
    if (!is_listed(entry.value, row->off)) launch.not_modelled.push_back(shown(entry));
    return;
  }
  const auto value = fact_value(*row, entry.value);
  if (!value) return launch.not_modelled.push_back(shown(entry));
  if (!value->empty()) facts.set(row->fact, {*value, entry.key, entry.place});
}

// Sizes that stay as the file says, and not what the user gives.
bool is_layout_given(const Facts& facts) {
  constexpr std::string_view kNames[] = {"tp", "pp", "cp", "nodes", "gpus-per-node"};
  return std::ranges::any_of(kNames, [&](std::string_view name) { return facts.is_given(name); });
}

// The number of GPUs, and whether the layout divides it.
void check_gpus(const Facts& facts, Launch& launch) {
  if (is_layout_given(facts)) return;
  const std::int64_t tp = facts.count_or("tp", 1), pp = facts.count_or("pp", 1),
                     cp = facts.count_or("cp", 1);
  const std::int64_t replica = tp * pp * cp;
  const auto nodes = facts.count("nodes"), per_node = facts.count("gpus-per-node");
  std::optional<std::int64_t> gpus = facts.count("_gpus");
  const Fact* said = facts.find("_gpus");
  if (nodes && per_node) {
    gpus = *nodes * *per_node;
    said = facts.find("nodes");
  }
  if (const auto dp = facts.count("_dp"); dp && !gpus) {
    gpus = *dp * replica;
    said = facts.find("_dp");
  }
  if (!gpus) return;
  if (*gpus % replica != 0) {
    const std::string_view largest = pp > tp ? "pp" : tp > 1 ? "tp" : "cp";
    const Fact* layout = facts.find(largest);
    throw InputError(fmt::format(
        "{}: {} = {}: tp {} x pp {} x cp {} needs a multiple of {} GPUs, but {} says {}; give "
        "`nodes` and `gpus-per-node`",
        layout->place.text(), layout->key, layout->value, tp, pp, cp, replica, said->place.text(),
        *gpus));
  }
  if (!per_node || !nodes) launch.gpus = gpus;
}

void check_batch(Facts& facts) {
  if (facts.is_given("global-batch")) facts.forget("accumulation");
  if (facts.is_given("accumulation") || facts.has("accumulation")) facts.forget("global-batch");
  for (const char* name : {"micro-batch", "accumulation", "global-batch", "sequence", "tp", "pp",
                           "cp", "ep", "etp", "nodes", "gpus-per-node", "virtual-stages"}) {
    static_cast<void>(facts.count(name));
  }
}

// Fields that say what is usual anyway.
bool is_usual(const Field& field) {
  constexpr std::string_view kOnes[] = {"cp", "ep", "etp", "virtual-stages"};
  return field.fact.value == "1" && std::ranges::find(kOnes, field.name) != std::end(kOnes);
}

void collect(const Facts& facts, Launch& launch) {
  for (const std::string_view name : field_names()) {
    const Fact* fact = facts.find(name);
    if (fact == nullptr) continue;
    Field field{std::string(name), *fact};
    if (!is_usual(field)) launch.fields.push_back(std::move(field));
  }
  for (const auto& [name, fact] : facts.all()) {
    if (name.starts_with("model.")) launch.model.push_back({name, fact});
  }
  if (const Fact* model = facts.find("_model")) launch.model_name = *model;
  if (const Fact* flavor = facts.find("_flavor")) {
    launch.model_name = *flavor;
    launch.model_name->value = facts.text("_name") + "-" + flavor->value;
  }
  launch.not_modelled.insert(launch.not_modelled.end(), facts.warnings().begin(),
                             facts.warnings().end());
}

}  // namespace

std::vector<std::string_view> field_names() {
  return {"sequence",
          "nodes",
          "gpus-per-node",
          "tp",
          "pp",
          "virtual-stages",
          "cp",
          "cp-exchange",
          "ep",
          "etp",
          "dispatcher",
          "capacity-factor",
          "micro-batch",
          "accumulation",
          "global-batch",
          "zero",
          "hybrid-shard",
          "reshard",
          "backward-prefetch",
          "offload-weights",
          "sequence-parallel",
          "recompute",
          "stack",
          "attention",
          "kernels",
          "loss",
          "cuda-graphs",
          "precision",
          "weight-precision",
          "optimizer",
          "optimizer-state",
          "optimizer-precision",
          "gradient-precision",
          "overlap",
          "bucket-size",
          "algorithm",
          "protocol"};
}

Launch read_launch(const std::filesystem::path& file,
                   const std::set<std::string, std::less<>>& given) {
  Document document = read_document(file);
  if (is_deepspeed(document)) nest_deepspeed(document);
  read_named_deepspeed(file, document);
  return launch_of(std::move(document), given);
}

Launch launch_of(Document document, const std::set<std::string, std::less<>>& given) {
  Launch launch;
  launch.document = std::move(document);
  launch.framework = &framework_of(launch.document);
  Facts facts(given);
  for (const Entry& entry : launch.document.entries) {
    read_entry(*launch.framework, entry, facts, launch);
  }
  launch.framework->derive(facts);
  if (!facts.may_split_tensors()) facts.forget("sequence-parallel");
  check_batch(facts);
  check_gpus(facts, launch);
  collect(facts, launch);
  return launch;
}

}  // namespace sim::launch
