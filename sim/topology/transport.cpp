// SPDX-License-Identifier: Apache-2.0
#include "sim/topology/transport.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sim {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kCubicC = 0.4;     // segments / s^3
constexpr double kCubicBeta = 0.7;  // what is left of the window after a loss

double as_double(Bytes bytes) { return static_cast<double>(bytes.count); }

// Bytes per second that loss leaves one stream.
double after_loss(const Tcp& tcp, double round_trip_s, double loss) {
  if (loss <= 0) return kInfinity;
  const double reno = std::sqrt(1.5 / loss) / round_trip_s;
  if (tcp.control == Tcp::Control::reno) return as_double(tcp.segment) * reno;
  const double cubic = std::pow(kCubicC * (3 + kCubicBeta) / (4 * (1 - kCubicBeta)), 0.25) *
                       std::pow(round_trip_s / loss, 0.75) / round_trip_s;
  return as_double(tcp.segment) * std::max(reno, cubic);
}

}  // namespace

Bandwidth connection_rate(const Transport& transport, Seconds round_trip, double loss) {
  const double seconds = round_trip.base();
  if (seconds <= 0) return Bandwidth::from_base(kInfinity);
  if (transport.kind == Transport::Kind::rdma) {
    const Rdma& rdma = transport.rdma;
    return Bandwidth::from_base(as_double(rdma.buffer) * rdma.channels / seconds);
  }
  const Tcp& tcp = transport.tcp;
  return Bandwidth::from_base(
      tcp.streams * std::min(as_double(tcp.window) / seconds, after_loss(tcp, seconds, loss)));
}

}  // namespace sim
