// SPDX-License-Identifier: Apache-2.0
// The codec kernels of one exchange between sites.
#pragma once

#include <cstddef>

#include "sim/schemes/scheme.hpp"

namespace sim {

// Of one GPU at each of so many sites, which exchanges so many elements.
[[nodiscard]] ExchangeKernels kernels_of(const SiteExchange& exchange, std::size_t elements,
                                         int sites);

// What a GPU holds of the wires that arrive, in wires of its own size: all whose sum one kernel takes,
// besides its own, which it has sent. Values that are not encoded are added as they arrive: one.
[[nodiscard]] double arriving_wires(const SiteExchange& exchange, std::size_t elements, int sites);

// For rows. Whether values are encoded before they travel: all but FP32.
[[nodiscard]] bool encodes(const SiteExchange& exchange);
// A kernel of the exchange's wire, over so many elements of each of `inputs`.
[[nodiscard]] CodecUse use_of(const SiteExchange& exchange, codecs::Operation operation,
                              std::size_t elements, int inputs = 1);
// Where the sum arrives, and no site makes it from wires.
void add_decode(const SiteExchange& exchange, std::size_t elements, int sites,
                ExchangeKernels& kernels);
// Where each site sums what it has of all.
void add_sum_of_all(const SiteExchange& exchange, std::size_t elements, int sites,
                    ExchangeKernels& kernels);
// Where each site sums a part of the elements, that of `inputs` sites at a time, and encodes it anew.
void add_sum_of_part(const SiteExchange& exchange, std::size_t elements, int sites, int inputs,
                     ExchangeKernels& kernels);
// Rounded up.
[[nodiscard]] inline std::size_t divided(std::size_t elements, int parts) {
  const auto n = static_cast<std::size_t>(parts);
  return (elements + n - 1) / n;
}

}  // namespace sim
