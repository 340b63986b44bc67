#include "apps/codec_error/tensors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/base/error.hpp"
#include "sim/base/json_reader.hpp"
#include "sim/base/npy.hpp"

namespace apps {
namespace {

namespace fs = std::filesystem;

std::string read_source(const fs::path& file) {
  const sim::JsonDocument document = sim::read_json(file);
  const sim::JsonReader root(document);
  root.only({"source", "kind", "model", "step", "date", "commit", "command"});
  std::string source = root.at("source").text();
  if (source.empty()) root.at("source").fail("is empty; say where the tensor comes from");
  return source;
}

codecs::Tensor read_tensor(const fs::path& file) {
  fs::path sidecar = file;
  sidecar.replace_extension(".json");
  sim::Npy npy = sim::read_npy(file);
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
          .source = read_source(sidecar),
          .shape = std::move(npy.shape),
          .values = std::move(npy.values)};
}

}  // namespace

std::vector<codecs::Tensor> read_tensors(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".npy") files.push_back(entry.path());
  }
  if (error) throw sim::InputError(folder.string() + ": is not a folder that can be read");
  std::ranges::sort(files);
  std::vector<codecs::Tensor> tensors;
  for (const fs::path& file : files) tensors.push_back(read_tensor(file));
  return tensors;
}

}  // namespace apps
