// gardenhose-codec-error [FILE]: writes the error of every codec on synthetic tensors, by default
// to traces/calibration/codec_error.json. Runs on the CPU alone, in about a minute.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "codecs/error/table.hpp"

namespace {

// The file is either the old one or the new one, never a part: the name changes hands at the end.
void write_atomically(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::path temporary = path;
  temporary += ".tmp";
  std::ofstream file(temporary);
  file << text;
  file.close();
  if (!file) throw std::runtime_error(temporary.string() + ": cannot write");
  std::filesystem::rename(temporary, path);
}

}  // namespace

int main(int count, char** arguments) {
  const std::string path = count > 1 ? arguments[1] : "traces/calibration/codec_error.json";
  if (count > 2 || path.starts_with("-")) {
    std::fprintf(stderr, "usage: gardenhose-codec-error [FILE]\n");
    return path == "--help" ? 0 : 2;
  }
  try {
    write_atomically(path, codecs::error_table({}).dump(1) + "\n");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
  return 0;
}
