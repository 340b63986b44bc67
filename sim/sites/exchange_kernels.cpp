// SPDX-License-Identifier: Apache-2.0
#include "sim/sites/exchange_kernels.hpp"

#include <algorithm>

namespace sim {

bool encodes(const SiteExchange& exchange) {
  return !exchange.wire.is_plain() || exchange.wire.format.element != codecs::Element::fp32;
}

CodecUse use_of(const SiteExchange& exchange, codecs::Operation operation, std::size_t elements,
                int inputs) {
  return {.operation = operation,
          .wire = exchange.wire,
          .wire_out = operation == codecs::Operation::decode_reduce_encode ? exchange.wire : Wire{},
          .inputs = inputs,
          .elements = static_cast<double>(elements)};
}

void add_decode(const SiteExchange& exchange, std::size_t elements, int, ExchangeKernels& kernels) {
  if (encodes(exchange)) kernels.decode = {use_of(exchange, codecs::Operation::decode, elements)};
}

void add_sum_of_all(const SiteExchange& exchange, std::size_t elements, int sites,
                    ExchangeKernels& kernels) {
  kernels.decode = {use_of(exchange, codecs::Operation::decode_reduce, elements, sites)};
}

void add_sum_of_part(const SiteExchange& exchange, std::size_t elements, int sites, int inputs,
                     ExchangeKernels& kernels) {
  kernels.sum = {
      use_of(exchange, codecs::Operation::decode_reduce_encode, divided(elements, sites), inputs)};
  kernels.decode = {use_of(exchange, codecs::Operation::decode, elements)};
}

ExchangeKernels kernels_of(const SiteExchange& exchange, std::size_t elements, int sites) {
  ExchangeKernels kernels;
  if (encodes(exchange)) {
    const bool feeds = exchange.feedback;
    kernels.encode = {use_of(exchange,
                             feeds ? codecs::Operation::encode_feedback : codecs::Operation::encode,
                             elements)};
  }
  exchange.exchange->add_kernels(exchange, elements, sites, kernels);
  return kernels;
}

double arriving_wires(const SiteExchange& exchange, std::size_t elements, int sites) {
  const ExchangeKernels kernels = kernels_of(exchange, elements, sites);
  double most = 1;
  for (const auto* uses : {&kernels.sum, &kernels.decode}) {
    for (const CodecUse& use : *uses) {
      const int others = std::max(1, use.inputs - 1);
      most = std::max(most, others * use.elements / static_cast<double>(elements));
    }
  }
  return most;
}

}  // namespace sim
