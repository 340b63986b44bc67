// SPDX-License-Identifier: Apache-2.0
#include "apps/codec_error/tensors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/base/json_reader.hpp"
#include "sim/base/npy.hpp"

namespace apps {
namespace {

namespace fs = std::filesystem;

fs::path sidecar_of(fs::path file) { return file.replace_extension(".json"); }

std::string source_of(const sim::JsonDocument& document) {
  const sim::JsonReader root(document);
  root.only({"source", "kind", "model", "step", "date", "commit", "command"});
  std::string source = root.at("source").text();
  if (source.empty()) root.at("source").fail("is empty; say where the tensor comes from");
  return source;
}

codecs::Tensor checked(const fs::path& file, sim::Npy npy, const sim::JsonDocument& sidecar) {
  const auto strange =
      std::ranges::find_if_not(npy.values, [](float x) { return std::isfinite(x); });
  if (strange != npy.values.end()) {
    throw sim::InputError(fmt::format("{}: element {}: is not finite; record another step",
                                      file.string(), strange - npy.values.begin()));
  }
  if (std::ranges::all_of(npy.values, [](float x) { return x == 0; })) {
    throw sim::InputError(file.string() + ": holds nothing but zeros, which have no error");
  }
  return {.name = file.stem().string(),
          .source = source_of(sidecar),
          .shape = std::move(npy.shape),
          .values = std::move(npy.values)};
}

}  // namespace

codecs::Tensor parse_tensor(std::string_view values, std::string_view sidecar,
                            const fs::path& file) {
  sim::Npy npy = sim::parse_npy(values, file);
  return checked(file, std::move(npy), sim::parse_json(sidecar, sidecar_of(file)));
}

std::vector<codecs::Tensor> read_tensors(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".npy") files.push_back(entry.path());
  }
  if (error) throw sim::InputError(folder.string() + ": is not a folder that can be read");
  std::ranges::sort(files);
  std::vector<codecs::Tensor> tensors;
  for (const fs::path& file : files) {
    sim::Npy npy = sim::read_npy(file);
    tensors.push_back(checked(file, std::move(npy), sim::read_json(sidecar_of(file))));
  }
  return tensors;
}

}  // namespace apps
