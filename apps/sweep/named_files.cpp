// SPDX-License-Identifier: Apache-2.0
#include "apps/sweep/named_files.hpp"

#include <fmt/format.h>

#include "apps/data_files.hpp"
#include "apps/sweep/plan.hpp"
#include "sim/base/error.hpp"
#include "sim/base/file.hpp"

namespace apps {
namespace {

namespace fs = std::filesystem;

// Points that have every value of every axis, without their combinations: a file is named by one
// input.
std::vector<Inputs> points_with_each_value(const Spec& spec) {
  const Inputs first = inputs_at(spec, 0);
  std::vector<Inputs> points;
  for (const Axis& axis : spec.axes) {
    for (const auto& row : axis.rows) {
      points.push_back(first);
      for (std::size_t i = 0; i < axis.keys.size(); ++i) points.back()[axis.keys[i]] = row[i];
    }
  }
  return points;
}

// study.sqlite and study.2of4.sqlite are of study.toml: default_store() the other way round.
std::vector<fs::path> specs_beside(const fs::path& store) {
  const fs::path stem = fs::path(store).replace_extension();
  return {fs::path(stem).replace_extension(".toml"), stem.string() + ".toml"};
}

}  // namespace

std::vector<fs::path> files_of_points(const std::vector<Inputs>& points, const fs::path& folder) {
  Origins origins(folder);
  for (const Inputs& inputs : points) static_cast<void>(origins.of(inputs));
  return origins.files();
}

std::vector<fs::path> files_of_spec(const Spec& spec) {
  std::vector<fs::path> files = files_of_points(points_with_each_value(spec), folder_of(spec.file));
  files.push_back(spec.file);
  return files;
}

std::vector<fs::path> files_of_store(Store& store, const fs::path& folder) {
  std::vector<fs::path> files = specs_beside(store.file());
  for (const char* suffix : {"", "-wal", "-shm", "-journal", ".lock"}) {
    files.emplace_back(store.file().string() + suffix);
  }
  for (const Origin& origin : store.origins()) {
    const auto read = nlohmann::json::parse(origin.files, nullptr, false);
    for (const auto& [name, hash] : read.items()) {
      files.push_back(folder / name);
      files.push_back(data_directory() / name);
    }
  }
  return files;
}

void refuse_overwriting(std::string_view place, const fs::path& output, Store& store,
                        const fs::path& folder) {
  sim::refuse_overwriting(place, output, files_of_store(store, folder));
  const auto identity = store.identity();
  std::error_code error;
  const bool is_spec = identity && fs::is_regular_file(output, error) &&
                       fs::file_size(output, error) == identity->spec.size() &&
                       sim::read_file(output) == identity->spec;
  if (!is_spec) return;
  throw sim::InputError(fmt::format("{}: {}: is the spec of {}; name another file", place,
                                    output.string(), store.file().string()));
}

}  // namespace apps
