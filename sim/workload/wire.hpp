// Wire: what values travel as, a codec of the catalogue or one that a card describes; and the time of
// its kernels.
#pragma once

#include <memory>
#include <string>

#include "codecs/codec.hpp"
#include "codecs/method.hpp"
#include "sim/workload/calibration.hpp"
#include "sim/workload/codec_card.hpp"

namespace sim {

struct Wire {
  codecs::Format format = {};
  std::shared_ptr<const CodecCard> card = {};  // stands for the format where there is one

  // FP32, FP16 or BF16 as it is: no kernel of a codec makes or reads it.
  [[nodiscard]] bool is_plain() const;
  // Wires of several ranks can be added up in flight.
  [[nodiscard]] bool is_summable() const;
  // The catalogue's name of the format, or the card's.
  [[nodiscard]] std::string name() const;
  [[nodiscard]] double bytes_per_element() const;
  // Of a message of `elements`, rounded up; where sizes vary, of the largest of `parts`, which the
  // others of a collective wait for.
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
  // A step of a method that is more than a codec instead (codecs/method.hpp), and what it works on.
  const codecs::MethodStep* step = nullptr;
  codecs::StepShape shape = {};

  [[nodiscard]] std::string label() const;
};

// Of the calibration's table or the card's, as kernel_time() has it. What a card lacks is put
// together of what it has: a difference, residual or sum is a pass over its values beside the
// encodes and decodes, and a source that says so.
[[nodiscard]] KernelEstimate codec_time(const Calibration& calibration, const Gpu& gpu,
                                        const CodecUse& use);

}  // namespace sim
