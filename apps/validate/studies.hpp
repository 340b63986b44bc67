// SPDX-License-Identifier: Apache-2.0
// The studies of `validate`: what each reruns, prints, and takes as flags.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace apps {

struct PublishedStudy;
struct ValidateOptions {
  std::string name = "sdp4bit", format = "table";
  const PublishedStudy* study = nullptr;  // none: sdp4bit
  bool constants = false, refit = false;
  bool each = false, predictions = false, defaults = false, throttled = false;
  std::string earlier, freeze, by;  // files, and what blind leaves out
  int jobs = 1;                     // simulations at once
};

// All studies but sdp4bit, which has flags that no other has.
struct PublishedStudy {
  std::string_view name;
  std::string_view summary;
  std::string_view constants;  // why there is no --constants and no --refit
  void (*print)(const ValidateOptions& options);
  std::string_view flags = {};  // of its own: "--each --compare"
};

// None for sdp4bit. Throws InputError for a name that is no study's.
[[nodiscard]] const PublishedStudy* study_named(const std::string& name);
[[nodiscard]] std::vector<std::string> study_names();
[[nodiscard]] std::string study_help();
// Throws InputError for flags that only other studies have, and for two that exclude each other.
void check_flags_of_studies(const ValidateOptions& options, bool by_given);

}  // namespace apps
