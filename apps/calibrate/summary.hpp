// A measured table for people: how near each kernel comes to a copy of the bytes that it moves.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "apps/calibrate/table.hpp"

namespace calibrate {

// Codecs whose kernels are correct and plain, by what they have in common.
struct PlainRule {
  const char* what;
  bool (*holds)(const codecs::Format& format);
};
[[nodiscard]] std::span<const PlainRule> plain_rules();

// The share of the floor that a kernel is to reach from 64 MiB of input up; none for codecs of
// plain_rules(), and for a search without error feedback.
[[nodiscard]] std::optional<double> bar_of(const codecs::Format& format,
                                           codecs::Operation operation);

// One line for each size of at least `least_bytes` of float32 input: codecs, then methods, which
// have no bar. Throws sim::InputError
// where the table is none that a GPU measured.
[[nodiscard]] std::string summary_of(const Json& table, double least_bytes);
// The same of a file, which must be one.
[[nodiscard]] std::string summary_of_file(const std::filesystem::path& file);

}  // namespace calibrate
