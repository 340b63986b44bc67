#include "apps/data_files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "sim/base/error.hpp"
#include "sim/workload/calibration.hpp"

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
    case Kind::published:
      return {"validate", "traces/published", ".csv"};
  }
  return {};
}

}  // namespace

fs::path data_directory() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path installed = program.parent_path().parent_path() / "share" / "gardenhose";
  if (!error && fs::is_directory(installed / "topologies")) return installed;
  return GARDENHOSE_SOURCE_DIR;
}

std::vector<fs::path> shipped_files(Kind kind) {
  const Folder folder = folder_of(kind);
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(data_directory() / folder.path, error)) {
    if (entry.path().extension() != folder.suffix || entry.path().stem() == "codec_error") continue;
    if (kind == Kind::calibration && sim::is_cpu_table(entry.path())) continue;
    files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

fs::path data_file(Kind kind, const std::string& name) {
  const Folder folder = folder_of(kind);
  const bool is_path =
      name.find('/') != std::string::npos || std::string_view(name).ends_with(folder.suffix);
  if (is_path) return name;
  std::vector<std::string> known;
  for (const fs::path& file : shipped_files(kind)) {
    if (file.stem() == name) return file;
    known.push_back(file.stem().string());
  }
  throw sim::InputError(
      fmt::format("{}: nothing shipped is called '{}'; give a file, or one of: {}", folder.flag,
                  name, fmt::join(known, ", ")));
}

}  // namespace apps
