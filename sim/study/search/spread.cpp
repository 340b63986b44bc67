// SPDX-License-Identifier: Apache-2.0
#include "sim/study/search/spread.hpp"

namespace sim::study {

Spread efficiency_spread(const Cluster& cluster) {
  const Fitted& fitted = cluster.fitted;
  if (fitted.compute_efficiency && fitted.rests_on_rows("compute_efficiency")) {
    return {0.05, "error of predicted throughputs on the rows of the fit (validate)"};
  }
  if (!fitted.compute_efficiency && cluster.default_efficiency) {
    return {cluster.default_efficiency->spread, cluster.default_efficiency->source};
  }
  return {0.2, "compute efficiencies that validate fits, 0.40 to 0.76"};
}

Spread ratio_spread() {
  return {0.055, "root mean square error of 16 published speed-ups (validate sdp4bit and zeropp)"};
}

}  // namespace sim::study
