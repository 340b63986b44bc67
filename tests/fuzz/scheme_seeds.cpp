// SPDX-License-Identifier: Apache-2.0
// Writes every shipped scheme to a folder, for fuzz_scheme to start from. Usage: scheme_seeds FOLDER
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "sim/schemes/scheme_file.hpp"

int main(int argc, char** argv) {
  if (argc != 2) return EXIT_FAILURE;
  for (const sim::Scheme* scheme : sim::all_schemes()) {
    std::ofstream(std::filesystem::path(argv[1]) / scheme->name) << sim::to_toml(*scheme);
  }
  return EXIT_SUCCESS;
}
