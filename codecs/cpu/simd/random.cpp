// SPDX-License-Identifier: Apache-2.0
// The random bytes of codecs/random/random.hpp, a Philox block in each lane.
HWY_BEFORE_NAMESPACE();
namespace codecs::cpu::HWY_NAMESPACE {
namespace {

struct Product {
  Word high, low;
};

// Of 32 bits by 32 bits: Highway multiplies the even lanes.
Product product(Word a, Word b) {
  const Word even = hn::BitCast(Words(), hn::MulEven(a, b));
  const Word odd = hn::BitCast(Words(), hn::MulEven(hn::Shuffle2301(a), b));
  return {.high = hn::OddEven(odd, hn::Shuffle2301(even)),
          .low = hn::OddEven(hn::Shuffle2301(odd), even)};
}

// Blocks [first, first + kLanes): kLanes * 16 bytes.
void draw_blocks(const Draws& draws, std::uint64_t first, std::uint8_t* bytes) {
  const Words words;
  const auto low = static_cast<std::uint32_t>(first);
  const auto high = static_cast<std::uint32_t>(first >> 32);
  Word c0 = hn::Add(hn::Set(words, low), hn::Iota(words, 0));
  const auto carried = hn::Lt(c0, hn::Set(words, low));
  Word c1 = hn::IfThenElse(carried, hn::Set(words, high + 1), hn::Set(words, high));
  Word c2 = hn::Set(words, draws.tensor);
  Word c3 = hn::Set(words, draws.rank);
  const Word by0 = hn::Set(words, kPhiloxMultiplier0), by1 = hn::Set(words, kPhiloxMultiplier1);
  std::uint32_t key0 = draws.key[0], key1 = draws.key[1];
  for (int round = 0; round < kPhiloxRounds; ++round) {
    const Product p0 = product(c0, by0), p1 = product(c2, by1);
    c0 = hn::Xor(hn::Xor(p1.high, c1), hn::Set(words, key0));
    c2 = hn::Xor(hn::Xor(p0.high, c3), hn::Set(words, key1));
    c1 = p1.low;
    c3 = p0.low;
    key0 += kPhiloxWeyl0;
    key1 += kPhiloxWeyl1;
  }
  // StoreInterleaved4 writes whole vectors to any address.
  hn::StoreInterleaved4(c0, c1, c2, c3, words, reinterpret_cast<std::uint32_t*>(bytes));
}

constexpr std::size_t kDrawBytes = kLanes * kElementsPerDraw;
// Room for a segment that starts within a block.
constexpr std::size_t kDrawRoom = kSegment + kElementsPerDraw + 8 * kElementsPerDraw;

// The random byte of element `first` of the tensor's part, and those of the count - 1 after it.
const std::uint8_t* draw_part(const Draws& draws, std::size_t first, std::size_t count,
                              std::uint8_t* buffer) {
  const std::uint64_t element = draws.first_element + first;
  const std::size_t skipped = element % kElementsPerDraw;
  std::uint64_t block = element / kElementsPerDraw;
  for (std::size_t filled = 0; filled < skipped + count; filled += kDrawBytes) {
    draw_blocks(draws, block, buffer + filled);
    block += kLanes;
  }
  return buffer + skipped;
}

}  // namespace
}  // namespace codecs::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
