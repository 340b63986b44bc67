// SPDX-License-Identifier: Apache-2.0
#include "sim/base/scratch.hpp"

#include <fmt/format.h>
#include <stdlib.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "sim/base/error.hpp"
#include "sim/base/file.hpp"

namespace sim {

namespace fs = std::filesystem;

fs::path temporary_folder() {
  std::error_code error;
  fs::path folder = fs::temp_directory_path(error);
  if (!error) return fs::absolute(folder);
  const char* named = std::getenv("TMPDIR");
  throw InputError(fmt::format("TMPDIR: '{}' is not a folder; set it to a writable one",
                               named == nullptr ? "" : named));
}

Scratch::Scratch(const fs::path& parent) {
  std::string name = (parent / ".gardenhose-XXXXXX").string();  // mkdtemp() chooses other letters
  if (mkdtemp(name.data()) == nullptr) {
    throw InputError(fmt::format("{}: cannot create a folder there: {}", parent.string(),
                                 system_problem(errno)));
  }
  path_ = name;
}

Scratch::~Scratch() {
  std::error_code error;
  fs::remove_all(path_, error);
}

}  // namespace sim
