// gardenhose-codec-error [FILE]: writes the error of every codec on synthetic tensors, by default
// to traces/calibration/codec_error.json. Runs on the CPU alone, in about a minute.
#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>
#include <string>

#include "codecs/error/table.hpp"
#include "sim/base/file.hpp"

int main(int count, char** arguments) {
  const std::string path = count > 1 ? arguments[1] : "traces/calibration/codec_error.json";
  if (count > 2 || path.starts_with("-")) {
    std::fprintf(stderr, "usage: gardenhose-codec-error [FILE]\n");
    return path == "--help" ? 0 : 2;
  }
  try {
    sim::write_file(path, codecs::error_table({}).dump(1) + "\n");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
  return 0;
}
