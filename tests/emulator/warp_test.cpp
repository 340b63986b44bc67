// SPDX-License-Identifier: Apache-2.0
// What lanes do together against closed forms, in values of every type.
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "tests/emulator/run.hpp"

namespace emulator {
namespace {

// What `function(lane)` gives on each lane of the second of three warps.
template <typename Value, typename Function>
__global__ void lanes_kernel(Function function, Value* out) {
  const Value value = function(static_cast<int>(threadIdx.x % 32));
  if (threadIdx.x / 32 == 1) out[threadIdx.x % 32] = value;
}

template <typename Function>
auto on_lanes(Function function) {
  using Value = decltype(function(0));
  const DeviceBuffer<Value> out(32);
  run(lanes_kernel<Value, Function>, {.threads = 96}, function, out.get());
  return out.to_host();
}

template <typename Value, typename Expected>
void expect_lanes(const std::vector<Value>& values, Expected expected) {
  for (int lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(values[static_cast<std::size_t>(lane)], expected(lane)) << lane;
  }
}

template <typename Value>
class Shuffles : public testing::Test {};
using Values = testing::Types<int, unsigned, long, unsigned long long, float, double, std::uint8_t>;
TYPED_TEST_SUITE(Shuffles, Values);

TYPED_TEST(Shuffles, MoveValuesOfEveryType) {
  const auto value = [](int lane) { return static_cast<TypeParam>((lane - 7) * 5); };
  expect_lanes(on_lanes([=](int lane) { return __shfl_sync(kAllLanes, value(lane), 35); }),
               [=](int) { return value(3); });
  expect_lanes(on_lanes([=](int lane) { return __shfl_xor_sync(kAllLanes, value(lane), 21); }),
               [=](int lane) { return value(lane ^ 21); });
  expect_lanes(on_lanes([=](int lane) { return __shfl_up_sync(kAllLanes, value(lane), 3); }),
               [=](int lane) { return value(lane < 3 ? lane : lane - 3); });
  expect_lanes(on_lanes([=](int lane) { return __shfl_down_sync(kAllLanes, value(lane), 3); }),
               [=](int lane) { return value(lane > 28 ? lane : lane + 3); });
}

TEST(Shuffle, StaysInItsSegment) {
  expect_lanes(on_lanes([](int lane) { return __shfl_sync(kAllLanes, lane, 9, 8); }),
               [](int lane) { return lane / 8 * 8 + 1; });
  expect_lanes(on_lanes([](int lane) { return __shfl_up_sync(kAllLanes, lane, 2, 8); }),
               [](int lane) { return lane % 8 < 2 ? lane : lane - 2; });
  expect_lanes(on_lanes([](int lane) { return __shfl_down_sync(kAllLanes, lane, 2, 8); }),
               [](int lane) { return lane % 8 > 5 ? lane : lane + 2; });
  // PTX, shfl.bfly: a source beyond the segment's last lane is none, one before the segment is.
  expect_lanes(on_lanes([](int lane) { return __shfl_xor_sync(kAllLanes, lane, 8, 8); }),
               [](int lane) { return lane / 8 % 2 == 0 ? lane : lane - 8; });
}

TEST(Shuffle, IsWithinTheLanesOfItsMask) {
  const auto halves = [](int lane) {
    int sum = lane;
    if (lane < 16) {
      for (int by = 8; by > 0; by /= 2) sum += __shfl_xor_sync(0x0000FFFFu, sum, by);
    } else {
      sum = __shfl_sync(0xFFFF0000u, sum, 20);
    }
    __syncwarp();
    return sum;
  };
  expect_lanes(on_lanes(halves), [](int lane) { return lane < 16 ? 120 : 20; });
}

TEST(Vote, HasABitForEachLane) {
  expect_lanes(on_lanes([](int lane) { return __ballot_sync(kAllLanes, lane % 3); }),
               [](int) { return 0xB6DB6DB6u; });
  const auto odd = [](int lane) {
    return lane % 2 == 0 ? 0u : __ballot_sync(0xAAAAAAAAu, lane >= 16);
  };
  expect_lanes(on_lanes(odd), [](int lane) { return lane % 2 == 0 ? 0u : 0xAAAA0000u; });
  expect_lanes(on_lanes([](int lane) { return __any_sync(kAllLanes, lane == 31 ? 8 : 0); }),
               [](int) { return 1; });
  expect_lanes(on_lanes([](int) { return __any_sync(kAllLanes, 0); }), [](int) { return 0; });
  expect_lanes(on_lanes([](int lane) { return __all_sync(kAllLanes, lane); }),
               [](int) { return 0; });
  expect_lanes(on_lanes([](int lane) { return __all_sync(kAllLanes, lane + 1); }),
               [](int) { return 1; });
}

TEST(Match, FindsEqualLanes) {
  expect_lanes(on_lanes([](int lane) { return __match_any_sync(kAllLanes, lane % 4 - 1); }),
               [](int lane) { return 0x11111111u << lane % 4; });
  const auto all = [](int divisor) {
    return on_lanes([=](int lane) {
      int same = 7;
      const unsigned lanes = __match_all_sync(kAllLanes, lane / divisor, &same);
      return lanes + static_cast<unsigned>(same);
    });
  };
  expect_lanes(all(32), [](int) { return 0u; });  // 0xFFFFFFFF + 1
  expect_lanes(all(31), [](int) { return 0u; });
}

TEST(Reduce, IsOverTheLanesOfTheMask) {
  expect_lanes(on_lanes([](int lane) { return __reduce_add_sync(kAllLanes, lane - 16); }),
               [](int) { return -16; });
  expect_lanes(on_lanes([](int lane) { return __reduce_min_sync(kAllLanes, lane - 16); }),
               [](int) { return -16; });
  expect_lanes(on_lanes([](int lane) { return __reduce_max_sync(kAllLanes, lane - 16); }),
               [](int) { return 15; });
  expect_lanes(on_lanes([](int lane) {
                 return __reduce_max_sync(kAllLanes, static_cast<unsigned>(lane - 16));
               }),
               [](int) { return 0xFFFFFFFFu; });
  expect_lanes(on_lanes([](int lane) { return __reduce_or_sync(kAllLanes, 1u << lane / 2); }),
               [](int) { return 0xFFFFu; });
  expect_lanes(on_lanes([](int lane) { return __reduce_and_sync(kAllLanes, ~(1u << lane / 2)); }),
               [](int) { return 0xFFFF0000u; });
  expect_lanes(on_lanes([](int lane) { return __reduce_xor_sync(kAllLanes, 1u << lane / 3); }),
               [](int) { return 0x3FFu; });  // bits 0 to 9 thrice, bit 10 twice
  const auto high = [](int lane) { return lane < 30 ? 0 : __reduce_add_sync(0xC0000000u, lane); };
  expect_lanes(on_lanes(high), [](int lane) { return lane < 30 ? 0 : 61; });
}

}  // namespace
}  // namespace emulator
