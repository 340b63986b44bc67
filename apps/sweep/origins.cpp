// SPDX-License-Identifier: Apache-2.0
#include "apps/sweep/origins.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <set>
#include <variant>
#include <vector>

#include "apps/data_files.hpp"
#include "sim/base/error.hpp"
#include "sim/base/file.hpp"
#include "sim/base/toml_document.hpp"
#include "sim/report/records.hpp"

namespace apps {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestName = 256;
// Inputs that may name a file.
constexpr const char* kNaming[] = {"topology", "model",    "calibration",
                                   "scheme",   "baseline", "inner-scheme"};

std::string text_of(const Inputs& inputs, const char* key) {
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

}  // namespace

std::string sha256(std::string_view bytes) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  const int done = EVP_Digest(bytes.data(), bytes.size(), digest, &size, EVP_sha256(), nullptr);
  sim::require(done == 1, "OpenSSL has SHA-256");
  std::string text;
  for (unsigned int i = 0; i < size; ++i) text += fmt::format("{:02x}", digest[i]);
  return text;
}

std::string sha256_of_file(const fs::path& file) {
  try {
    return sha256(sim::read_file(file));
  } catch (const sim::InputError&) {
    return "";
  }
}

std::vector<std::string> Origins::changed() const {
  std::vector<std::string> files;
  for (const auto& [path, hash] : hashes_) {
    if (sha256_of_file(path) != hash) files.push_back(path);
  }
  return files;
}

std::vector<fs::path> Origins::files() const {
  std::vector<fs::path> files;
  for (const auto& [path, hash] : hashes_) files.emplace_back(path);
  return files;
}

void Origins::add(const fs::path& file, bool follow, Files& files) {
  const fs::path path = file.lexically_normal();
  const auto [hash, is_new] = hashes_.emplace(path.string(), "");
  if (is_new) hash->second = sha256_of_file(path);
  const bool added = files.emplace(name_of(path, folder_), hash->second).second;
  if (follow && added && path.extension() == ".toml") add_named_in(path, files);
}

void Origins::add_named_in(const fs::path& file, Files& files) {
  for (const std::string& text : texts_in(file)) {
    if (text.find('\n') != std::string::npos) continue;
    const fs::path beside = file.parent_path() / text;
    const fs::path shipped = data_directory() / "topologies" / (text + ".toml");
    if (is_file(beside)) add(beside, true, files);
    if (is_file(beside.string() + ".toml")) add(beside.string() + ".toml", true, files);
    if (text.find('/') == std::string::npos && is_file(shipped)) add(shipped, true, files);
  }
}

void Origins::add_shipped(const Inputs& inputs, const std::string& key, Files& files) {
  const std::string name = text_of(inputs, key.c_str());
  if (name.empty()) return;
  const bool json = name.ends_with(".json") && (key == "model" || key == "calibration");
  if (is_path(name, ".toml") || json) return add(folder_ / name, true, files);
  for (const Kind kind : {Kind::topology, Kind::wide_area, Kind::model, Kind::calibration}) {
    const bool right = kind == Kind::model         ? key == "model"
                       : kind == Kind::calibration ? key == "calibration"
                                                   : key == "topology";
    if (!right) continue;
    for (const fs::path& file : shipped_files(kind)) {
      if (file.stem() == name) add(file, kind != Kind::calibration, files);
    }
  }
}

const Origin& Origins::of(const Inputs& inputs) {
  Inputs naming = Inputs::object();
  for (const auto& [key, value] : inputs.items()) {
    const bool is_setting = key.find('.') != std::string::npos;
    if (is_setting && value.is_string()) naming[key] = value;
  }
  for (const char* key : kNaming) naming[key] = text_of(inputs, key);
  Origin& origin = known_[sim::dumped(naming, -1)];
  if (!origin.id.empty()) return origin;

  Files files;
  for (const char* key : kNaming) add_shipped(inputs, key, files);
  const std::string calibration = text_of(inputs, "calibration");
  if (calibration.empty() || calibration == "auto") {
    for (const fs::path& file : shipped_files(Kind::calibration)) add(file, false, files);
  }
  add(codec_error_file(), false, files);
  add(efficiency_file(), false, files);
  // A key of a file of sites may name a cluster.
  const fs::path topology = folder_ / text_of(inputs, "topology");
  for (const auto& [key, value] : naming.items()) {
    if (key.find('.') == std::string::npos) continue;
    const fs::path file = topology.parent_path() / value.get<std::string>();
    if (is_file(file)) add(file, true, files);
  }
  origin.version = GARDENHOSE_VERSION;
  origin.files = sim::dumped(Inputs(files), -1);
  origin.id = sha256(origin.version + "\n" + origin.files);
  return origin;
}

}  // namespace apps
