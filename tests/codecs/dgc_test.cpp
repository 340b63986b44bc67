// SPDX-License-Identifier: Apache-2.0
// Laws of deep gradient compression.
#include "codecs/dgc/dgc.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "tests/codecs/wire.hpp"

namespace codecs {
namespace {

struct Rank {
  std::vector<float> momentum, gathered;
  explicit Rank(std::size_t elements) : momentum(elements, 0.0f), gathered(elements, 0.0f) {}

  std::vector<std::byte> encode(const Dgc& dgc, const std::vector<float>& gradient) {
    std::vector<std::byte> wire(dgc_wire(dgc, gradient.size()).bytes);
    encode_dgc(dgc, gradient, {momentum, gathered}, wire);
    return wire;
  }
};

std::uint32_t count_of(const std::vector<std::byte>& wire) {
  std::uint32_t count = 0;
  std::memcpy(&count, wire.data(), sizeof(count));
  return count;
}

std::vector<float> decode(const Dgc& dgc, const std::vector<std::byte>& wire,
                          std::size_t elements) {
  std::vector<float> values(elements);
  decode_mean_dgc(dgc, wire, 1, values);
  return values;
}

// 0.1 % of 100 000: 100, so room for 130, in 16 + 528 + 528 bytes (130 of 4, filled up to 16).
TEST(Dgc, WireHasTheBytesOfItsDrawing) {
  const DgcWire wire = dgc_wire({}, 100'000);
  EXPECT_EQ(wire.target, 100);
  EXPECT_EQ(wire.capacity, 130);
  EXPECT_EQ(wire.least, 80);
  EXPECT_EQ(wire.bytes, 16 + 528 + 528);
  EXPECT_EQ(dgc_wire({}, 0).bytes, 0);
  EXPECT_EQ(dgc_wire({.most = 2}, 100'000).capacity, 200);
  EXPECT_EQ(dgc_wire({.least = 0.5}, 100'000).least, 50);
}

TEST(Dgc, SendsAboutItsDensity) {
  for (const char* name : {"normal", "student_t3", "laplace"}) {
    const Dgc dgc{.density = 0.01};
    const std::vector<float> gradient = draw(distribution_named(name), 3, 200'000);
    Rank rank(gradient.size());
    const std::uint32_t count = count_of(rank.encode(dgc, gradient));
    EXPECT_GE(count, 1600) << name;
    EXPECT_LE(count, 2600) << name;
  }
}

// Sent and kept add up to what was gathered: nothing is lost, and what was sent has no momentum.
TEST(Dgc, SendsOrKeepsEverything) {
  const Dgc dgc{.density = 0.05, .momentum = 0.5f, .stride = 10};
  constexpr std::size_t kElements = 5000;
  Rank rank(kElements);
  std::vector<double> u(kElements, 0), v(kElements, 0);
  for (std::uint64_t step = 0; step < 5; ++step) {
    const std::vector<float> gradient = normal_values(kElements, step);
    const std::vector<float> sent = decode(dgc, rank.encode(dgc, gradient), kElements);
    for (std::size_t i = 0; i < kElements; ++i) {
      u[i] = 0.5 * u[i] + gradient[i];
      v[i] += u[i];
      EXPECT_NEAR(sent[i] + rank.gathered[i], v[i], 1e-5);
      if (sent[i] == 0) continue;
      EXPECT_EQ(rank.momentum[i], 0);
      EXPECT_EQ(rank.gathered[i], 0);
      u[i] = v[i] = 0;
    }
  }
}

TEST(Dgc, SendsNoZerosAndANaNForWhatIsNotFinite) {
  std::vector<float> gradient(3000, 0.0f);
  Rank zeros(3000);
  EXPECT_EQ(count_of(zeros.encode({}, gradient)), 0);
  gradient[1234] = std::numeric_limits<float>::quiet_NaN();
  gradient[2000] = -std::numeric_limits<float>::infinity();
  Rank rank(3000);
  const std::vector<float> out = decode({}, rank.encode({}, gradient), 3000);
  EXPECT_TRUE(std::isnan(out[1234]));
  EXPECT_TRUE(std::isnan(out[2000]));
}

// Equal values all reach the threshold that they set, until it is raised above them.
TEST(Dgc, NeverSendsMoreThanItsCapacity) {
  const std::vector<float> gradient(10'000, 1.0f);
  Rank rank(gradient.size());
  EXPECT_LE(count_of(rank.encode({}, gradient)), dgc_wire({}, gradient.size()).capacity);
}

TEST(Dgc, MeansTheWires) {
  const Dgc dgc{.density = 1, .momentum = 0, .stride = 1};
  const std::vector<float> a{1, 2, 3, 4}, b{3, 2, 1, -4};
  Rank first(4), second(4);
  auto wires = first.encode(dgc, a);
  const auto other = second.encode(dgc, b);
  wires.insert(wires.end(), other.begin(), other.end());
  std::vector<float> means(4);
  decode_mean_dgc(dgc, wires, 2, means);
  EXPECT_EQ(means, (std::vector<float>{2, 2, 2, 0}));
}

TEST(Dgc, RefusesWhatItCannotHold) {
  EXPECT_THROW((void)dgc_wire({.most = 0.9}, 10), std::invalid_argument);
  EXPECT_THROW((void)dgc_wire({.least = 1.1}, 10), std::invalid_argument);
  EXPECT_THROW((void)dgc_wire({.density = 0}, 10), std::invalid_argument);
  EXPECT_THROW((void)dgc_wire({.stride = 0}, 10), std::invalid_argument);
  EXPECT_THROW((void)dgc_wire({}, std::size_t{1} << 31), std::invalid_argument);
}

}  // namespace
}  // namespace codecs
