// SPDX-License-Identifier: Apache-2.0
// CodecCard: a codec without code in this project, as measured by its owner: the bytes it sends,
// the time of its kernels, the error it makes. Read from TOML, with a CSV of times beside it:
//
//   summary = "rANS of the exponents, lossless"
//
//   [wire]
//   bits_per_element = 11.0           # scales and indices included; of a codec whose size varies
//                                     # from message to message, quantiles at equal distances:
//                                     # bits_per_element = [9.1, 10.8, 11.0, 11.3, 12.9]
//   overhead = "64 B"                 # of each message; none without it
//   summable = false                  # encoded values can be added up in flight, as NCCL's sum
//                                     # does; not without it
//   sampled = false                   # an encode reads only the elements that it sends, as random-k's;
//                                     # not without it
//   rounds = true                     # an encode's errors are independent of what it is given, as
//                                     # those of rounding are, so that the errors of two encodes
//                                     # add up by their squares; not known without it
//
//   [times]                           # or, before the first table, times = "roofline": kernels move
//                                     # their bytes, as those of a codec that no table has
//   gpu = "NVIDIA H200"               # that they were measured on, as topologies call it
//   memory_bandwidth = "4.8 TBps"     # its data sheet's, to scale them to another GPU
//   file = "my_codec.csv"             # beside the card
//
//   [error]                           # may be left out: for reports, the relative L2 error of one
//   normal = 0.0                      # encode of values of a distribution of this name
//   student_t3 = 0.0
//
// The CSV of times, in seconds, has a line for each step and measured size. Steps are named as
// codecs::Operation is. Elements are counted at the input of an encode and at one output of a decode.
// `encode` and `decode` are required; any other kernel that the file lacks is composed of those and of
// passes over memory (sim/times/wire.hpp). Sums (`decode_reduce`, `decode_reduce_encode`) are of so
// many inputs.
//
//   step,inputs,elements,seconds
//   encode,1,1048576,1.1e-5
//   decode,1,1048576,0.9e-5
//   decode_reduce,4,1048576,2.8e-5
//
// Columns that may follow: `from` and `to`, of a `decode_reduce_encode`, name the codec of the wires that
// are summed, or of the sum, where it is not the card's own; `value_bytes` is 2 for BF16 values and 4 for
// FP32, which is usual but for encode_difference and decode_add.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/toml_keys.hpp"
#include "sim/base/units.hpp"
#include "sim/times/calibration.hpp"

namespace sim {

// A kernel that a card may have times for.
struct CardKernel {
  codecs::Operation operation = codecs::Operation::encode;
  int inputs = 1;
  int value_bytes = 4;
  std::string from = {}, to = {};  // names of another codec; empty: the card's own
};
// Key of its times: "encode", "encode of 2-byte values", "decode_reduce/8", "decode_reduce_encode/8 to
// int4_g128".
[[nodiscard]] std::string key_of(const CardKernel& kernel);

struct CodecCard {
  std::string name;  // the file's stem
  std::string summary;
  // One size, or quantiles at equal distances from the smallest (share 0) to the largest (share 1);
  // sizes are uniform between neighbouring quantiles.
  std::vector<double> bits_per_element;
  Bytes overhead = {};  // per message
  bool summable = false;
  bool sampled = false;
  bool rounds = false;
  // Of times = "roofline", nothing of these.
  std::string gpu = {};
  Bandwidth memory_bandwidth = {};
  std::map<std::string, std::vector<KernelTime>> steps = {};  // by key_of(), sizes ascending
  std::map<std::string, double> error = {};

  [[nodiscard]] bool has_times() const { return !steps.empty(); }
};

// The keys of a codec card.
[[nodiscard]] std::span<const TomlKey> codec_card_keys();

// Bits per element, mean over messages.
[[nodiscard]] double mean_bits(const CodecCard& card);
// Expected size of the largest of `parts` independent messages.
[[nodiscard]] double largest_bits(const CodecCard& card, double parts);

// Reads a card and its times. Throws an InputError with a located line for each problem in either
// file.
[[nodiscard]] CodecCard read_codec_card(const std::filesystem::path& file);
// Parses text in memory; `times_of` returns the text of the file of times, or throws InputError.
using TextOf = std::function<std::string(const std::filesystem::path& file)>;
[[nodiscard]] CodecCard parse_codec_card(std::string_view text, const std::filesystem::path& file,
                                         const TextOf& times_of);

}  // namespace sim
