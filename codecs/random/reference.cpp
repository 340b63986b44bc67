// SPDX-License-Identifier: Apache-2.0
#include "codecs/random/random.hpp"

namespace codecs {
namespace {

std::uint32_t low_word(std::uint64_t x) { return static_cast<std::uint32_t>(x); }
std::uint32_t high_word(std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); }

// Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014.
std::uint64_t splitmix64(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

std::array<std::uint32_t, 4> block_counter(std::uint64_t block, std::uint32_t tensor,
                                           std::uint32_t rank) {
  return {low_word(block), high_word(block), tensor, rank};
}

}  // namespace

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                    std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < kPhiloxRounds; ++round) {
    const std::uint64_t product0 = std::uint64_t{kPhiloxMultiplier0} * counter[0];
    const std::uint64_t product1 = std::uint64_t{kPhiloxMultiplier1} * counter[2];
    counter = {high_word(product1) ^ counter[1] ^ key[0], low_word(product1),
               high_word(product0) ^ counter[3] ^ key[1], low_word(product0)};
    key[0] += kPhiloxWeyl0;
    key[1] += kPhiloxWeyl1;
  }
  return counter;
}

std::array<std::uint32_t, 2> philox_key(const RandomKey& key) {
  const std::uint64_t mixed = splitmix64(splitmix64(key.seed) + key.step);
  return {low_word(mixed), high_word(mixed)};
}

RandomBytes::RandomBytes(const RandomKey& key)
    : key_(philox_key(key)),
      tensor_(key.tensor),
      rank_(key.rank),
      words_(philox(block_counter(0, key.tensor, key.rank), key_)) {}

std::uint8_t RandomBytes::operator()(std::uint64_t element) {
  const std::uint64_t block = element / kElementsPerDraw;
  if (block != block_) {
    block_ = block;
    words_ = philox(block_counter(block, tensor_, rank_), key_);
  }
  return static_cast<std::uint8_t>(words_[element % 16 / 4] >> (element % 4 * 8));
}

}  // namespace codecs
