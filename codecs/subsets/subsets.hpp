// SPDX-License-Identifier: Apache-2.0
// Enumerative coding of subsets (Cover, "Enumerative source coding", IEEE Transactions on Information
// Theory 19, 1973): a set of k of the numbers 0 to n-1 is sent as its rank among all C(n, k) of them,
// in ceil(log2 C(n, k)) bits. With i-1 smaller members, a member m counts C(m, i) sets before it.
//
//   64 of 4096: 472 bits, 7.375 an index; 12 if each is sent by itself
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace codecs {

// Bits of the rank of a set of `count` of `of` numbers; 0 if there is but one.
[[nodiscard]] std::size_t subset_bits(std::size_t of, std::size_t count);

// The rank of ascending numbers below `of`, from bit `first` on, lowest bit first. The range must hold
// zeros.
void put_subset(std::span<const std::uint32_t> numbers, std::size_t of, std::size_t first,
                std::span<std::byte> bytes);
// `count` ascending numbers below `of`, whatever the bytes hold.
[[nodiscard]] std::vector<std::uint32_t> get_subset(std::size_t of, std::size_t count,
                                                    std::size_t first,
                                                    std::span<const std::byte> bytes);

}  // namespace codecs
