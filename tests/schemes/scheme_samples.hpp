// SPDX-License-Identifier: Apache-2.0
// Cards for tests of schemes and of wires.
#pragma once

#include <cmath>
#include <string>

#include "sim/base/quantity_text.hpp"
#include "sim/schemes/scheme_file.hpp"

namespace sim {

// As the catalogue's codec is: its bits, and times that move its bytes at the GPU's copies' rate.
inline CodecCard card_like(const char* codec, const Gpu& gpu) {
  const codecs::Format format = codecs::codec_named(codec).format;
  CodecCard card{.name = codec,
                 .summary = "as the codec of this name",
                 .bits_per_element = {8 * codecs::encoded_bytes_per_element(format)},
                 .gpu = gpu.name,
                 .memory_bandwidth = gpu.memory_bandwidth};
  const auto add = [&](const std::string& key, codecs::Operation operation, int inputs) {
    for (double elements = 1 << 10; elements < 1e11; elements *= 1.02) {
      const KernelUse use{
          {.operation = operation, .wire = format, .inputs = inputs, .value_bytes = 4}, elements};
      card.steps[key].push_back({elements, kernel_time(roofline(), gpu, use).seconds});
    }
  };
  add("encode", codecs::Operation::encode, 1);
  add("decode", codecs::Operation::decode, 1);
  for (const int inputs : {2, 4, 8}) {
    add("decode_reduce/" + std::to_string(inputs), codecs::Operation::decode_reduce, inputs);
  }
  return card;
}

}  // namespace sim
