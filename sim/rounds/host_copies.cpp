// SPDX-License-Identifier: Apache-2.0
#include "sim/rounds/host_copies.hpp"

#include <algorithm>

#include "sim/base/error.hpp"
#include "sim/times/host_codecs.hpp"

namespace sim {

bool hosts_update(const SiteExchange& exchange, const Calibration& calibration) {
  return exchange.outer_state == OuterState::host && hosts_encode(exchange.wire, calibration);
}

HostCopies host_copies(const SiteExchange& exchange, const Cluster& cluster,
                       const Calibration& calibration, double elements) {
  if (exchange.outer_state == OuterState::gpu) return {};
  const auto rate = host_copy_rate(cluster);
  require(rate.has_value(), "outer state is kept on hosts that GPUs have a link to");
  const auto seconds = [&](double bytes) { return bytes * elements / rate->base(); };
  constexpr double kFp32 = 4;
  if (hosts_update(exchange, calibration)) {
    return {.fetch_s = seconds(kFp32), .weights_s = seconds(kFp32)};
  }
  const double state = exchange.state_bytes;
  if (exchange.overlaps()) return {.fetch_s = seconds(state), .store_s = seconds(state)};
  const double residual = exchange.feedback ? std::min(kFp32, state) : 0;
  const double updated = state - residual;
  return {.fetch_s = seconds(std::min(kFp32, updated) + 2 * residual),
          .load_s = seconds(updated),
          .store_s = seconds(updated)};
}

}  // namespace sim
