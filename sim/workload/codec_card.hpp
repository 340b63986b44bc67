// CodecCard: a codec that this project has no code for, as its owner measured it: what it sends, how
// long its kernels take, what it loses. Read from TOML, with a CSV of times beside it:
//
//   summary = "rANS of the exponents, lossless"
//
//   [wire]
//   bits_per_element = 11.0           # scales and indices included; of a codec whose size varies,
//                                     # quantiles from the smallest to the largest:
//                                     # bits_per_element = [9.1, 10.8, 11.0, 11.3, 12.9]
//   overhead = "64 B"                 # optional: of each message
//   summable = false                  # encoded values can be added up in flight, as NCCL's sum does
//
//   [times]
//   gpu = "NVIDIA H200"               # that they were measured on
//   memory_bandwidth = "4.8 TBps"     # its data sheet's, to scale them to another GPU
//   file = "my_codec.csv"             # step,inputs,elements,seconds
//
//   [error]                           # optional: relative L2 error of one encode, by distribution
//   normal = 0.0
//   student_t3 = 0.0
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/setting.hpp"
#include "sim/base/units.hpp"
#include "sim/workload/calibration.hpp"

namespace sim {

struct CodecCard {
  std::string name;  // the file's stem
  std::string summary;
  // One size, or quantiles at equal distances from the smallest (share 0) to the largest (share 1),
  // between which sizes are spread evenly.
  std::vector<double> bits_per_element;
  Bytes overhead = {};  // of each message
  bool summable = false;
  std::string gpu;
  Bandwidth memory_bandwidth = {};
  // By "encode", "decode" or "decode_reduce/INPUTS", sizes ascending. Elements are those of
  // KernelUse: of the input for encodes, of one output for the decodes.
  std::map<std::string, std::vector<KernelTime>> steps = {};
  std::map<std::string, double> error = {};
};

// Bits of one element, mean over messages.
[[nodiscard]] double mean_bits(const CodecCard& card);
// Expectation of the largest of `parts` independent messages.
[[nodiscard]] double largest_bits(const CodecCard& card, double parts);

// Reads a card and its times. Throws InputError with a located line for each problem.
[[nodiscard]] CodecCard read_codec_card(const std::filesystem::path& file);
// The same from text in memory; `times` is the text of the CSV that it names.
[[nodiscard]] CodecCard parse_codec_card(std::string_view text, const std::filesystem::path& file,
                                         std::string_view times);

}  // namespace sim
