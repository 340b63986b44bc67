// SPDX-License-Identifier: Apache-2.0
#include "apps/sweep/named_files.hpp"

#include <fmt/format.h>

#include <limits>
#include <utility>
#include <variant>

#include "apps/data_files.hpp"
#include "sim/base/error.hpp"
#include "sim/base/file.hpp"
#include "sim/base/files_in_use.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/base/toml_document.hpp"

namespace apps {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestName = 256;
// Inputs that may name a file.
constexpr const char* kNaming[] = {"topology",       "model",        "calibration", "scheme",
                                   "baseline",       "inner-scheme", "host-codecs", "reliability",
                                   "node-placement", "traffic"};
constexpr std::pair<const char*, Kind> kShipped[] = {{"topology", Kind::topology},
                                                     {"topology", Kind::wide_area},
                                                     {"model", Kind::model},
                                                     {"calibration", Kind::calibration},
                                                     {"host-codecs", Kind::host_codecs},
                                                     {"reliability", Kind::reliability}};

std::string text_at(const Inputs& inputs, const std::string& key) {
  const auto found = inputs.find(key);
  return found != inputs.end() && found->is_string() ? found->get<std::string>() : "";
}

// All texts of a document: a name of a file may be any of them.
std::vector<std::string> texts_in(const fs::path& file) {
  std::vector<std::string> texts;
  const auto add = [&](const sim::TomlScalar& value) {
    const auto* text = std::get_if<std::string>(&value);
    if (text != nullptr && !text->empty() && text->size() < kLongestName) texts.push_back(*text);
  };
  try {
    const auto document = sim::parse_toml(sim::read_input_text(file), file);
    for (const auto& [key, leaf] : document.leaves) {
      if (const auto* value = std::get_if<sim::TomlScalar>(&leaf.value)) add(*value);
      if (const auto* list = std::get_if<sim::TomlArray>(&leaf.value)) {
        for (const sim::TomlScalar& value : *list) add(value);
      }
    }
  } catch (const sim::InputError&) {
    // The run will say so, with its place.
  }
  return texts;
}

// As it is the same on every machine: from the shipped folder, or from the spec's.
std::string name_of(const fs::path& file, const fs::path& folder) {
  const std::string shipped = file.lexically_relative(data_directory()).string();
  if (!shipped.empty() && !shipped.starts_with("..")) return shipped;
  const std::string own = file.lexically_relative(folder).string();
  return own.empty() ? file.string() : own;
}

bool is_file(const fs::path& file) {
  std::error_code error;
  return fs::is_regular_file(file, error);
}

// study.sqlite and study.2of4.sqlite are of study.toml: default_store() the other way round.
std::vector<fs::path> specs_beside(const fs::path& store) {
  const fs::path stem = fs::path(store).replace_extension();
  return {fs::path(stem).replace_extension(".toml"), stem.string() + ".toml"};
}

}  // namespace

void PointFiles::add(const fs::path& file, bool follow, Files& files) const {
  const fs::path path = file.lexically_normal();
  const bool added = files.emplace(name_of(path, folder_), path.string()).second;
  if (follow && added && path.extension() == ".toml") add_named_in(path, files);
}

void PointFiles::add_named_in(const fs::path& file, Files& files) const {
  for (const std::string& text : texts_in(file)) {
    if (text.find('\n') != std::string::npos) continue;
    const fs::path beside = file.parent_path() / text;
    const fs::path shipped = data_directory() / "topologies" / (text + ".toml");
    if (is_file(beside)) add(beside, true, files);
    if (is_file(beside.string() + ".toml")) add(beside.string() + ".toml", true, files);
    if (text.find('/') == std::string::npos && is_file(shipped)) add(shipped, true, files);
  }
}

void PointFiles::add_input(const Inputs& inputs, const std::string& key, Files& files) const {
  const std::string name = text_at(inputs, key);
  if (name.empty()) return;
  if (key == "node-placement" || key == "traffic") {
    if (is_file(folder_ / name)) add(folder_ / name, false, files);
    return;
  }
  const bool json =
      name.ends_with(".json") && (key == "model" || key == "calibration" || key == "host-codecs");
  if (is_path(name, ".toml") || json) return add(folder_ / name, true, files);
  for (const auto& [named, kind] : kShipped) {
    if (key != named) continue;
    for (const fs::path& file : shipped_files(kind)) {
      if (file.stem() == name) add(file, kind != Kind::calibration, files);
    }
  }
}

const PointFiles::Files& PointFiles::of(const Inputs& inputs) {
  Inputs naming = Inputs::object();
  for (const auto& [key, value] : inputs.items()) {
    const bool is_setting = key.find('.') != std::string::npos;
    if (is_setting && value.is_string()) naming[key] = value;
  }
  for (const char* key : kNaming) naming[key] = text_at(inputs, key);
  const auto [known, is_new] = known_.emplace(sim::sweep::line_of(naming), Files());
  Files& files = known->second;
  if (!is_new) return files;

  for (const char* key : kNaming) add_input(inputs, key, files);
  const std::string calibration = text_at(inputs, "calibration");
  if (calibration.empty() || calibration == "auto") {
    for (const fs::path& file : shipped_files(Kind::calibration)) add(file, false, files);
  }
  if (calibration != "roofline") {
    for (const fs::path& folder : {published_kernels_folder(), compiled_kernels_folder()}) {
      for (const auto& entry : fs::directory_iterator(folder)) {
        const std::string kind = entry.path().extension();
        if (kind == ".toml" || kind == ".csv") add(entry.path(), false, files);
      }
    }
  }
  add(codec_error_file(), false, files);
  add(efficiency_file(), false, files);
  add(host_file(), false, files);
  // A key of a file of sites may name a cluster.
  const fs::path topology = folder_ / text_at(inputs, "topology");
  for (const auto& [key, value] : naming.items()) {
    if (key.find('.') == std::string::npos) continue;
    const fs::path file = topology.parent_path() / value.get<std::string>();
    if (is_file(file)) add(file, true, files);
  }
  return files;
}

// Of every value of every axis, without their combinations: a file is named by one input.
std::vector<fs::path> files_of_spec(const Spec& spec) {
  std::vector<fs::path> paths{spec.file};
  PointFiles files(folder_of(spec.file));
  for (const auto& axis : spec.axes) {
    for (const auto& row : axis.rows) {
      Inputs inputs = inputs_at(spec, 0);
      for (std::size_t i = 0; i < row.size(); ++i) inputs[axis.keys[i]] = row[i];
      for (const auto& [name, path] : files.of(inputs)) paths.emplace_back(path);
    }
  }
  return paths;
}

void note_files(Store& store, const fs::path& folder) {
  sim::note_inputs(specs_beside(store.file()));
  PointFiles files(folder);
  store.each_state([&](const Inputs& inputs, const std::string&) {
    for (const auto& [name, path] : files.of(inputs)) sim::note_input(path);
  });
}

void refuse_contents(std::string_view place, const fs::path& output, Store& store) {
  if (!is_file(output)) return;
  const std::string hash =
      sim::sweep::sha256(sim::read_to_replace(output, std::numeric_limits<std::size_t>::max()));
  const auto refuse = [&](const std::string& what) {
    throw sim::InputError(fmt::format("{}: {}: is the {} of {}; name another file", place,
                                      output.string(), what, store.file().string()));
  };
  if (const auto identity = store.identity(); identity && identity->spec_sha256 == hash) {
    refuse("spec");
  }
  for (const auto& origin : store.origins()) {
    for (const auto& [name, of_input] : origin.files) {
      if (of_input == hash) refuse(fmt::format("input {}", sim::printable(name)));
    }
  }
}

}  // namespace apps
