// SPDX-License-Identifier: Apache-2.0
// Wire: the format of values on the network, a codec of the catalogue or one described by a card;
// and the time of its kernels.
#pragma once

#include <memory>
#include <string>

#include "codecs/codec.hpp"
#include "codecs/method.hpp"
#include "sim/times/calibration.hpp"
#include "sim/times/codec_card.hpp"

namespace sim {

struct Wire {
  codecs::Format format = {};
  std::shared_ptr<const CodecCard> card = {};  // replaces the format if present

  // FP32, FP16 or BF16 unchanged: no codec kernel writes or reads it.
  [[nodiscard]] bool is_plain() const;
  // Whether wires of several ranks can be added up in flight.
  [[nodiscard]] bool is_summable() const;
  // The format's name in the catalogue, or the card's.
  [[nodiscard]] std::string name() const;
  [[nodiscard]] double bytes_per_element() const;
  // Bytes of a message of `elements`, rounded up; if sizes vary, of the largest of `parts`
  // messages, for which the rest of a collective waits.
  [[nodiscard]] double bytes(double elements, double parts = 1) const;
  friend bool operator==(const Wire&, const Wire&) = default;
};

// One launch of a codec's kernel. The fields are those of codecs::KernelShape.
struct CodecUse {
  codecs::Operation operation = codecs::Operation::encode;
  Wire wire;
  Wire wire_out = {};
  int inputs = 1;
  int value_bytes = 4;
  double residual_bytes = 4;
  double elements = 0;  // of the input for encodes, of one output for decodes
  // A step of a method beyond a single codec (codecs/method.hpp), and the matrix it works on.
  const codecs::MethodStep* step = nullptr;
  codecs::StepShape shape = {};

  [[nodiscard]] std::string label() const;
};

// From the calibration table, as kernel_time(), or from the card. A kernel that the card lacks is
// composed from others, as the catalogue's are: a difference, residual or sum is a pass over its values
// besides the encodes and decodes, and the source names that kernel.
[[nodiscard]] KernelEstimate codec_time(const Calibration& calibration, const Gpu& gpu,
                                        const CodecUse& use);

}  // namespace sim
