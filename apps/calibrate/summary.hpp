// SPDX-License-Identifier: Apache-2.0
// A measured table for people: how close each kernel comes to a copy of the same bytes.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "apps/calibrate/table.hpp"

namespace calibrate {

// Codecs whose kernels are correct but simple, by common property.
struct PlainRule {
  const char* what;
  bool (*holds)(const codecs::Format& format);
};
[[nodiscard]] std::span<const PlainRule> plain_rules();

// The share of the floor that a kernel must reach from 64 MiB of input up; none for codecs of
// plain_rules(), and for a search without error feedback.
[[nodiscard]] std::optional<double> bar_of(const codecs::Format& format,
                                           codecs::Operation operation);

// One line for each size of at least `least_bytes` of float32 input: codecs, then methods, which
// have no required share. Throws sim::InputError if the table was not measured on a GPU.
[[nodiscard]] std::string summary_of(const Json& table, double least_bytes);
// Summarises a file, which must be such a table.
[[nodiscard]] std::string summary_of_file(const std::filesystem::path& file);

}  // namespace calibrate
