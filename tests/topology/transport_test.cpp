// SPDX-License-Identifier: Apache-2.0
#include "sim/topology/transport.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace {

using namespace sim;

constexpr Seconds kRoundTrip = 100_ms;

Transport tcp(int streams, Bytes window, Tcp::Control control = Tcp::Control::cubic) {
  return {.kind = Transport::Kind::tcp,
          .tcp = {.streams = streams, .window = window, .segment = 1000_B, .control = control}};
}
// A window that never binds.
Transport wide_open(Tcp::Control control) { return tcp(1, Bytes{1'000'000'000'000}, control); }

double rate(const Transport& transport, Seconds round_trip, double loss) {
  return connection_rate(transport, round_trip, loss).base();
}

TEST(Rdma, HasItsBuffersInFlightOnce) {
  // 16 channels of 4 MiB, 67.1 MB, in each 21 ms: 3.2 GB/s.
  const Transport nccl{.kind = Transport::Kind::rdma, .rdma = {.buffer = 4_MiB, .channels = 16}};
  EXPECT_NEAR(rate(nccl, 21_ms, 0), 16 * 4 * 1048576 / 0.021, 1);
  EXPECT_NEAR(rate(nccl, 21_ms, 0) / 1e9, 3.2, 0.01);
}

TEST(Rdma, GoesWithEachOfItsFactorsAndAgainstTheRoundTrip) {
  const Transport one{.kind = Transport::Kind::rdma, .rdma = {.buffer = 1_MiB, .channels = 3}};
  Transport more = one;
  more.rdma = {.buffer = 2_MiB, .channels = 3};
  EXPECT_DOUBLE_EQ(rate(more, kRoundTrip, 0), 2 * rate(one, kRoundTrip, 0));
  more.rdma = {.buffer = 1_MiB, .channels = 6};
  EXPECT_DOUBLE_EQ(rate(more, kRoundTrip, 0), 2 * rate(one, kRoundTrip, 0));
  EXPECT_DOUBLE_EQ(rate(one, kRoundTrip * 2, 0), rate(one, kRoundTrip, 0) / 2);
}

TEST(Tcp, WithoutLossSendsAWindowARoundTripOnEachStream) {
  // 8 streams of 6 MiB each 100 ms: 503 MB/s.
  EXPECT_DOUBLE_EQ(rate(tcp(8, 6_MiB), kRoundTrip, 0), 8 * 6 * 1048576 / 0.1);
  EXPECT_DOUBLE_EQ(rate(tcp(8, 6_MiB, Tcp::Control::reno), kRoundTrip, 0), 8 * 6 * 1048576 / 0.1);
}

TEST(Tcp, RenoIsMathisFormula) {
  // Mathis et al., eq. 3: 1000 B / 0.1 s x sqrt(3 / (2 x 1.5e-4)) = 10 kB/s x 100 = 1 MB/s.
  EXPECT_NEAR(rate(wide_open(Tcp::Control::reno), kRoundTrip, 1.5e-4), 1e6, 1e-3);
  // Four times the loss, half the rate; twice the round trip, half the rate.
  EXPECT_NEAR(rate(wide_open(Tcp::Control::reno), kRoundTrip, 6e-4), 0.5e6, 1e-3);
  EXPECT_NEAR(rate(wide_open(Tcp::Control::reno), kRoundTrip * 2, 1.5e-4), 0.5e6, 1e-3);
}

TEST(Tcp, CubicIsRfc9438sFormula) {
  // Its eq. 6, with C = 0.4 and beta = 0.7: a window of (0.4 x 3.7 / 1.2)^(1/4) x (RTT / p)^(3/4)
  // segments. RTT / p = 0.1 / 1e-5 = 10^4, whose power of 3/4 is 10^3: 1053.8 segments, 10.5 MB/s.
  const double window = std::pow(0.4 * 3.7 / 1.2, 0.25) * 1000;
  EXPECT_NEAR(window, 1053.8, 0.1);
  EXPECT_NEAR(rate(wide_open(Tcp::Control::cubic), kRoundTrip, 1e-5), window * 1000 / 0.1, 1);
  // RTT / p = 10^5, whose power of 3/4 is 5623.4: 5926 segments.
  EXPECT_NEAR(rate(wide_open(Tcp::Control::cubic), kRoundTrip, 1e-6) / (1000 / 0.1), 5926, 1);
}

TEST(Tcp, CubicIsNeverSlowerThanReno) {
  for (const double loss : {1e-7, 1e-5, 1e-3, 1e-1}) {
    for (const Seconds round_trip : {100_us, 1_ms, 10_ms, 300_ms}) {
      EXPECT_GE(rate(wide_open(Tcp::Control::cubic), round_trip, loss),
                rate(wide_open(Tcp::Control::reno), round_trip, loss));
    }
  }
  // Short paths are Reno's: (1e-4 / 1e-3)^(3/4) x 1.05 is fewer segments than sqrt(1500).
  EXPECT_DOUBLE_EQ(rate(wide_open(Tcp::Control::cubic), 100_us, 1e-3),
                   rate(wide_open(Tcp::Control::reno), 100_us, 1e-3));
}

TEST(Tcp, TakesTheSmallerOfWindowAndLoss) {
  // Loss leaves 10.5 MB/s of a stream (above), a window of 64 KiB 0.66 MB/s.
  EXPECT_DOUBLE_EQ(rate(tcp(1, 64_KiB), kRoundTrip, 1e-5), 65536 / 0.1);
  EXPECT_DOUBLE_EQ(rate(tcp(1, 64_MiB), kRoundTrip, 1e-5),
                   rate(wide_open(Tcp::Control::cubic), kRoundTrip, 1e-5));
}

TEST(Tcp, StreamsLoseApart) {
  EXPECT_DOUBLE_EQ(rate(tcp(16, 6_MiB), kRoundTrip, 1e-4),
                   16 * rate(tcp(1, 6_MiB), kRoundTrip, 1e-4));
}

TEST(Connections, WithoutARoundTripHaveNoLimit) {
  const Transport nccl{.kind = Transport::Kind::rdma, .rdma = {.buffer = 4_MiB}};
  for (const Transport& transport : {nccl, tcp(1, 64_KiB)}) {
    EXPECT_TRUE(std::isinf(rate(transport, 0_s, 0)));
    EXPECT_TRUE(std::isinf(rate(transport, 0_s, 0.01)));
  }
}

TEST(Connections, OfRdmaKnowNoLoss) {
  const Transport nccl{.kind = Transport::Kind::rdma, .rdma = {.buffer = 4_MiB}};
  EXPECT_EQ(rate(nccl, kRoundTrip, 0.1), rate(nccl, kRoundTrip, 0));
}

}  // namespace
