// SPDX-License-Identifier: Apache-2.0
// A launch file as fields of a job: what it says, what of it changes time and is not modelled, and
// which keys are not known.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sim/launch/framework.hpp"

namespace sim::launch {

// A field of a job, or a key of a model's file.
struct Field {
  std::string name;  // "tp", "model.layers"
  Fact fact;
};

struct Launch {
  const Framework* framework = nullptr;
  Document document;
  std::vector<Field> fields;         // of the job, in the order of `field_names()`
  std::vector<Field> model;          // sizes of the model
  std::optional<Fact> model_name;    // as the file names it, "Qwen/Qwen3-8B" or "llama3 70B"
  std::optional<std::int64_t> gpus;  // in all, where the file says so and not how many a node has
  std::vector<std::string> not_modelled;  // "train.sh:31: key = value", what of it is left out
  std::vector<std::string> unknown;       // the same of keys that no table has
};

// The fields that a launch file may say, as a command line has them.
[[nodiscard]] std::vector<std::string_view> field_names();

// What a document says. `given`: names of fields that are given elsewhere, which it then need not say.
// Throws an InputError at the place of a value that cannot be read, that only a running shell or
// launcher knows, or that contradicts others: a layout that needs more GPUs than the file names.
[[nodiscard]] Launch launch_of(Document document,
                               const std::set<std::string, std::less<>>& given = {});

// Reads a file (sim/launch/document.hpp) of a framework of all_frameworks(), and the DeepSpeed JSON
// that it names where that lies beside it.
[[nodiscard]] Launch read_launch(const std::filesystem::path& file,
                                 const std::set<std::string, std::less<>>& given = {});

}  // namespace sim::launch
