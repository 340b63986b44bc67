// SPDX-License-Identifier: Apache-2.0
#include "apps/launch/launch_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <string_view>

#include "apps/data_files.hpp"
#include "sim/base/letters.hpp"
#include "sim/base/number_text.hpp"
#include "sim/base/toml_document.hpp"

namespace apps {
namespace {

using sim::launch::Fact;
using sim::launch::Field;
using sim::launch::Launch;

// Letters and digits alone, without what tells variants of the same sizes apart.
std::string plain_name(std::string_view name) {
  constexpr std::string_view kVariants[] = {"meta", "hf",   "base", "instruct", "chat",
                                            "it",   "v0.1", "v0.2", "v0.3",     "2507"};
  name = name.substr(name.rfind('/') == std::string_view::npos ? 0 : name.rfind('/') + 1);
  std::string plain, word;
  const auto end_word = [&] {
    if (std::ranges::find(kVariants, word) == std::end(kVariants)) {
      std::ranges::copy_if(word, std::back_inserter(plain), [](char c) { return c != '.'; });
    }
    word.clear();
  };
  for (const char c : name) {
    if (c == '-' || c == '_' || c == ' ') {
      end_word();
    } else {
      word += sim::lower_letter(c);
    }
  }
  end_word();
  return plain;
}

using Leaves = std::map<std::string, std::string, std::less<>>;

// The scalars of a model's file.
Leaves leaves_of(const std::filesystem::path& file) {
  Leaves leaves;
  const sim::launch::Document document =
      sim::launch::parse_toml_entries(sim::read_input_text(file), file);
  for (const sim::launch::Entry& entry : document.entries) leaves[entry.key] = entry.value;
  return leaves;
}

bool same_value(const std::string& a, const std::string& b) {
  if (a == b) return true;
  const auto x = sim::number_in<double>(a), y = sim::number_in<double>(b);
  return x && y && *x == *y;
}

// The settings that the model's file does not say already; keys that it leaves out have these values.
std::vector<Field> differing(const Leaves& leaves, const std::vector<Field>& sizes) {
  std::vector<Field> all;
  for (const Field& size : sizes) {
    const auto leaf = leaves.find(size.name);
    const std::string usual = size.name == "model.rotary_share"        ? "1"
                              : size.name == "model.blocks"            ? "serial"
                              : size.name == "model.query_key_norm"    ? "false"
                              : size.name == "model.embedding_norm"    ? "false"
                              : size.name == "model.attention_dropout" ? "unsaid"
                                                                       : "";
    if (!same_value(leaf == leaves.end() ? usual : leaf->second, size.fact.value)) {
      all.push_back(size);
    }
  }
  return all;
}

const Fact* size_named(const Launch& launch, std::string_view name) {
  const auto found = std::ranges::find(launch.model, name, &Field::name);
  return found == launch.model.end() ? nullptr : &found->fact;
}

// Whether other sizes may replace the model's: it has no part that a launch file cannot say.
bool is_plain(const Leaves& leaves) {
  constexpr std::string_view kKeys[] = {"summary",
                                        "model.layers",
                                        "model.hidden",
                                        "model.heads",
                                        "model.head_width",
                                        "model.kv_heads",
                                        "model.feed_forward",
                                        "model.feed_forward_kind",
                                        "model.norm",
                                        "model.query_key_norm",
                                        "model.positions",
                                        "model.position_table",
                                        "model.biases",
                                        "model.dropout",
                                        "model.attention_dropout",
                                        "model.tied_embeddings",
                                        "model.vocabulary",
                                        "model.sequence",
                                        "model.experts.count",
                                        "model.experts.top_k",
                                        "model.experts.width",
                                        "model.rotary_share",
                                        "model.blocks",
                                        "model.embedding_norm"};
  return std::ranges::all_of(leaves, [&](const auto& leaf) {
    return std::ranges::find(kKeys, leaf.first) != std::end(kKeys);
  });
}

bool may_stand_for(const Leaves& leaves, const Launch& launch) {
  const Fact* positions = size_named(launch, "model.positions");
  const auto own = leaves.find("model.positions");
  if (positions != nullptr && (own == leaves.end() || own->second != positions->value))
    return false;
  const bool has_experts = size_named(launch, "model.experts.count") != nullptr;
  return is_plain(leaves) && has_experts == leaves.contains("model.experts.count");
}

// The shipped model with the fewest other sizes; vocabularies differ most easily and count least.
std::optional<LaunchModel> model_by_sizes(const Launch& launch) {
  const Fact* layers = size_named(launch, "model.layers");
  if (layers == nullptr || size_named(launch, "model.hidden") == nullptr ||
      size_named(launch, "model.heads") == nullptr)
    return std::nullopt;
  std::optional<LaunchModel> best;
  for (const std::filesystem::path& file : shipped_files(Kind::model)) {
    const Leaves leaves = leaves_of(file);
    if (!may_stand_for(leaves, launch)) continue;
    std::vector<Field> others = differing(leaves, launch.model);
    if (best && best->settings.size() <= others.size()) continue;
    best = LaunchModel{.name = file.stem().string(),
                       .fact = *layers,
                       .settings = std::move(others),
                       .assumed = {}};
    const auto words = leaves.find("model.vocabulary");
    if (size_named(launch, "model.vocabulary") == nullptr && words != leaves.end()) {
      best->assumed = fmt::format(
          "the vocabulary is in a tokenizer's files: taken as the {} words of {}; "
          "--set model.vocabulary=N says another",
          words->second, best->name);
    }
  }
  return best;
}

std::optional<std::filesystem::path> config_beside(const std::filesystem::path& file,
                                                   const std::string& model) {
  const std::filesystem::path folder = file.parent_path();
  for (const std::filesystem::path& place :
       {folder / model / "config.json", std::filesystem::path(model) / "config.json",
        folder / "config.json"}) {
    std::error_code error;
    if (std::filesystem::is_regular_file(place, error)) return place;
  }
  return std::nullopt;
}

}  // namespace

std::string shipped_model_named(const std::string& name) {
  const std::string wanted = plain_name(name);
  // torchtitan's "llama3-405B" is Llama 3.1.
  std::string later = wanted;
  if (const auto at = later.find("llama3"); at != std::string::npos) later.insert(at + 6, "1");
  std::string found;
  for (const std::string& shipped : shipped_names(Kind::model)) {
    const std::string plain = plain_name(shipped);
    if (plain == wanted) return shipped;
    if (plain == later) found = shipped;
  }
  return found;
}

std::optional<LaunchModel> model_of(const Launch& launch, const std::filesystem::path& file) {
  if (launch.model_name) {
    const std::string& name = launch.model_name->value;
    const std::string shipped = shipped_model_named(name);
    if (!shipped.empty()) return LaunchModel{shipped, *launch.model_name, {}, {}};
    if (const auto config = config_beside(file, name)) {
      const bool has_slash = config->has_parent_path();
      return LaunchModel{
          has_slash ? config->string() : "./" + config->string(), *launch.model_name, {}, {}};
    }
  }
  return model_by_sizes(launch);
}

}  // namespace apps
