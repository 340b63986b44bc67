#include "sim/schemes/exchange_kernels.hpp"

#include "sim/schemes/formats.hpp"

namespace sim {

using codecs::Operation;

KernelUse weight_encode(const Scheme& scheme, double elements) {
  return {
      {.operation = Operation::encode_difference, .wire = scheme.weights.wire, .value_bytes = 2},
      elements};
}

KernelUse weight_decode(const Scheme& scheme, double elements) {
  return {{.operation = Operation::decode_add, .wire = scheme.weights.wire, .value_bytes = 2},
          elements};
}

std::vector<KernelUse> gradient_encode(const Scheme& scheme, const codecs::Format& wire,
                                       double elements) {
  std::vector<KernelUse> kernels;
  // The transform alone reads and writes FP32, as an encoder of FP32 does.
  if (wire.rotation == codecs::Rotation::hadamard && !scheme.gradients.fused_hadamard) {
    kernels.push_back({{.operation = Operation::encode, .wire = formats::kFp32}, elements});
  }
  kernels.push_back({{.operation = Operation::encode, .wire = wire}, elements});
  return kernels;
}

KernelUse gradient_requantize(const GradientExchange& exchange, int inputs, double elements) {
  return {{.operation = Operation::decode_reduce_encode,
           .wire = exchange.inside,
           .wire_out = exchange.between,
           .inputs = inputs},
          elements};
}

KernelUse gradient_sum(const codecs::Format& wire, int inputs, double elements) {
  return {{.operation = Operation::decode_reduce, .wire = wire, .inputs = inputs}, elements};
}

}  // namespace sim
