// SPDX-License-Identifier: Apache-2.0
#include "sim/study/prices.hpp"

#include <fmt/format.h>

#include "sim/base/error.hpp"

namespace sim::study {

void check_price(const Job& job, std::string_view field) {
  for (const Site& site : job.topology.sites) {
    if (site.cluster.gpu.price.base() > 0) continue;
    throw InputError(job.inner
                         ? fmt::format("`{}`: {} of {} has no gpu.price; write one into {}.toml",
                                       field, site.name, job.topology.name, site.cluster.name)
                         : fmt::format("`{}`: {} has no gpu.price; write e.g. `set` gpu.price=\"2 "
                                       "USD/h\"",
                                       field, site.cluster.name));
  }
}

}  // namespace sim::study
