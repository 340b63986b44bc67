// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/config_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/base/file.hpp"
#include "sim/base/joined.hpp"
#include "sim/base/names.hpp"
#include "sim/base/printable.hpp"
#include "sim/base/toml_document.hpp"
#include "sim/workload/config_keys.hpp"
#include "sim/workload/config_reader.hpp"
#include "sim/workload/families/family.hpp"

namespace sim {
namespace {

// The run's model.sequence as the reader of a model file takes it; 1 for what it will refuse.
std::optional<int> given_sequence(std::span<const Setting> settings,
                                  const std::filesystem::path& file) {
  constexpr std::string_view kKey = "model.sequence";
  std::vector<Setting> of_sequence;
  std::ranges::copy_if(settings, std::back_inserter(of_sequence),
                       [&](const Setting& setting) { return setting.key == kKey; });
  if (of_sequence.empty()) return std::nullopt;
  TomlDocument document{.file = file.string(), .leaves = {}, .tables = {}};
  apply_settings(of_sequence, document);
  const auto* scalar = std::get_if<TomlScalar>(&document.leaves.at(std::string(kKey)).value);
  const auto* number = scalar == nullptr ? nullptr : std::get_if<std::int64_t>(scalar);
  if (number == nullptr || *number < 1 || *number > std::numeric_limits<int>::max()) return 1;
  return static_cast<int>(*number);
}

// Other programs look for code by that name.
void check_model_type(ConfigReader& config) {
  constexpr std::string_view kKey = "model_type";
  constexpr std::string_view kLetters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
  const std::string type = config.text_or(kKey, "none");
  if (!config.all_good({kKey})) return;
  if (type.empty() || type.front() == '.' ||
      type.find_first_not_of(kLetters) != std::string::npos) {
    config.wrong(kKey, "is not a name of letters, digits, _, - and ., e.g. llama");
  }
}

bool has_name(const ModelFamily::Names& names, std::string_view name) {
  return !name.empty() && std::ranges::count(names, name) > 0;
}

struct Found {
  const ModelFamily* family = nullptr;
  bool of_text_part = false;
};

// The family one of whose names is that of `key`.
Found family_named(ConfigReader& config, const char* key, const std::string& name,
                   ModelFamily::Names ModelFamily::*named) {
  std::vector<std::string_view> titles;
  for (const ModelFamily* family : all_families()) {
    if (has_name(family->*named, name)) return {family, false};
    const bool is_architecture = named == &ModelFamily::architectures;
    if (is_architecture && has_name(family->text_parts, name)) return {family, true};
    titles.push_back(family->title);
  }
  if (config.all_good({key})) {
    config.unsupported(key, fmt::format("is not of a family that is read: {}", joined(titles)));
  }
  return {};
}

// Without `architectures`, which text generation does not need, `model_type` decides; diffusers has a
// name of its own.
Found find_family(ConfigReader& config) {
  constexpr const char* kArchitectures = "architectures";
  constexpr const char* kClass = "_class_name";
  constexpr const char* kType = "model_type";
  if (!config.has(kArchitectures) && config.has(kClass)) {
    return family_named(config, kClass, config.text_or(kClass, ""), &ModelFamily::architectures);
  }
  if (config.has(kArchitectures) || !config.has(kType)) {
    return family_named(config, kArchitectures, config.only_text(kArchitectures),
                        &ModelFamily::architectures);
  }
  if (!config.all_good({kType})) return {};
  return family_named(config, kType, config.text_or(kType, ""), &ModelFamily::model_types);
}

void read_family(ConfigReader& config, const ModelFamily& family, std::optional<int> given,
                 Model& model) {
  family.read(config, given, model);
  refuse_unread(config);
  if (config.has("quantization_config")) config.note("quantization read over");
}

// What is around the text of a model with pictures or sound: its own parts are not modelled.
void read_text_part(ConfigReader& config, const ModelFamily& family, std::optional<int> given,
                    Model& model) {
  constexpr const char* kText = "text_config";
  constexpr const char* kTies = "tie_word_embeddings";
  if (!config.require(kText)) return;
  bool says_ties = false;
  config.inside(kText, [&] {
    read_family(config, family, given, model);
    says_ties = config.has(kTies);
  });
  const bool ties = config.flag_or(kTies, model.tied_embeddings);
  if (!says_ties) model.tied_embeddings = ties;
  if (config.has("quantization_config")) config.note("quantization read over");
  config.note("its text alone");
  config.not_modelled("is_encoder_decoder", "encoders are not modelled");
  config.ignore(keys_beside_text());
}

std::string summary_of(const ModelFamily& family, const Model& model, const ConfigReader& config) {
  std::string summary = fmt::format("{}: {} layers of {}, sequence {}", family.title, model.layers,
                                    model.hidden, model.sequence);
  for (const std::string& note : config.notes()) {
    summary += (note.starts_with("of ") ? " " : ", ") + note;
  }
  return summary;
}

void name_after(const std::filesystem::path& file, Model& model) {
  std::error_code error;
  const auto folder = std::filesystem::absolute(file, error).lexically_normal().parent_path();
  model.name = file.stem().string();
  model.file = file.filename().string();
  if (model.file != "config.json" || !folder.has_filename()) return;
  model.name = folder.filename().string();
  model.file = model.name + "/" + model.file;
}

}  // namespace

Model parse_config(std::string_view text, const std::filesystem::path& file,
                   std::span<const Setting> settings) {
  if (text.size() > kMostInputBytes) {
    throw InputError(printable_path(file) + ": is larger than 1 MiB; is it the right file?");
  }
  const JsonDocument document = parse_json_of_python(text, file);
  ConfigReader config(document, harmless_keys());
  Model model;
  name_after(file, model);
  check_model_type(config);
  const auto [family, of_text_part] = find_family(config);
  if (family != nullptr) {
    const auto given = given_sequence(settings, file);
    (of_text_part ? read_text_part : read_family)(config, *family, given, model);
    config.note_unknown();
    model.summary = summary_of(*family, model, config);
  }
  config.finish();
  return model;
}

}  // namespace sim
