// SPDX-License-Identifier: Apache-2.0
#include "apps/data_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>

#include "sim/base/error.hpp"
#include "sim/base/file.hpp"
#include "sim/base/joined.hpp"
#include "sim/base/names.hpp"
#include "sim/base/quantity_text.hpp"

namespace apps {
namespace {

namespace fs = std::filesystem;

struct Folder {
  const char* flag;
  const char* path;
  const char* suffix;
};

Folder folder_of(Kind kind) {
  switch (kind) {
    case Kind::topology:
      return {"--topology", "topologies", ".toml"};
    case Kind::wide_area:
      return {"--topology", "topologies/wide_area", ".toml"};
    case Kind::model:
      return {"--model", "traces/models", ".toml"};
    case Kind::calibration:
      return {"--calibration", "traces/calibration", ".json"};
    case Kind::host_codecs:
      return {"--host-codecs", "traces/host_codecs", ".json"};
    case Kind::published:
      return {"validate", "traces/published", ".csv"};
    case Kind::reliability:
      return {"--reliability", "traces/reliability", ".toml"};
  }
  return {};
}

// Beside tables of times lies one of errors.
bool is_shipped(const fs::path& file) { return file.stem() != "codec_error"; }

// The shipped file of the name, or none.
std::optional<fs::path> shipped_file(Kind kind, const std::string& name) {
  const Folder folder = folder_of(kind);
  const fs::path file = data_directory() / folder.path / (name + folder.suffix);
  std::error_code error;
  if (file.stem() != name || !is_shipped(file) || !fs::exists(file, error)) return std::nullopt;
  return file;
}

}  // namespace

bool is_path(std::string_view name, std::string_view suffix) {
  return name.find('/') != std::string_view::npos || name.ends_with(suffix);
}

fs::path data_directory() {
  static const fs::path folder = [] {
    std::error_code error;
    const fs::path program = fs::read_symlink("/proc/self/exe", error);
    const fs::path installed = program.parent_path().parent_path() / "share" / "gardenhose";
    return !error && fs::is_directory(installed / "topologies") ? installed
                                                                : fs::path(GARDENHOSE_SOURCE_DIR);
  }();
  return folder;
}

fs::path codec_error_file() { return data_directory() / "traces/calibration/codec_error.json"; }

fs::path efficiency_file() { return data_directory() / "traces/compute_efficiency.toml"; }

fs::path host_file() { return data_directory() / "traces/kernels/host.toml"; }
fs::path compiled_kernels_folder() { return data_directory() / "traces/compiled"; }
fs::path published_kernels_folder() { return data_directory() / "traces/kernels"; }

fs::path network_parts_file() { return data_directory() / "traces/network_parts.toml"; }

std::vector<fs::path> shipped_files(Kind kind) {
  const Folder folder = folder_of(kind);
  std::vector<fs::path> files;
  const fs::path place = data_directory() / folder.path;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(place, error)) {
    const fs::path& file = entry.path();
    if (file.extension() == folder.suffix && is_shipped(file)) files.push_back(file);
  }
  if (error && error != std::errc::no_such_file_or_directory) {
    throw sim::InputError(
        fmt::format("{}: cannot be read: {}", place.string(), sim::system_problem(error.value())));
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::string> shipped_names(Kind kind) {
  std::vector<std::string> names;
  for (const fs::path& file : shipped_files(kind)) names.push_back(file.stem().string());
  return names;
}

fs::path data_file(Kind kind, const std::string& name) {
  const Folder folder = folder_of(kind);
  // A model may be a config.json too.
  if (is_path(name, folder.suffix) || (kind == Kind::model && name.ends_with(".json"))) return name;
  if (const auto file = shipped_file(kind, name)) return *file;
  std::vector<std::string> known = shipped_names(kind);
  if (kind == Kind::topology) {
    std::ranges::move(shipped_names(Kind::wide_area), std::back_inserter(known));
  }
  const std::vector<std::string_view> names(known.begin(), known.end());
  const std::size_t comma = name.find(',');
  if (std::ranges::find(known, name.substr(0, comma)) != known.end()) {
    throw sim::InputError(
        fmt::format("{}: '{}' is several names, but the flag takes one; use gardenhose sweep for "
                    "several",
                    folder.flag, name));
  }
  const std::string meant = sim::suggestion(name, names);
  throw sim::InputError(
      fmt::format("{}: no shipped file is named '{}'{} a file, or one of: {}", folder.flag, name,
                  meant.empty() ? "; specify" : meant + " Specify", sim::joined(names)));
}

fs::path cluster_of_site(const fs::path& folder, const std::string& name) {
  if (is_path(name, ".toml")) return folder / name;
  const fs::path beside = folder / (name + ".toml");
  std::error_code error;
  if (fs::is_regular_file(beside, error)) return beside;
  if (const auto file = shipped_file(Kind::topology, name)) return *file;
  throw sim::InputError(
      fmt::format("no {} next to this file, and no shipped cluster has that name; specify a file, "
                  "or one of: {}",
                  sim::printable(name + ".toml"), sim::joined(shipped_names(Kind::topology))));
}

}  // namespace apps
