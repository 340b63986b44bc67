// SPDX-License-Identifier: Apache-2.0
// The topologies of `plan`: each has the flags that apply to it.
#pragma once

#include <boost/program_options.hpp>
#include <vector>

#include "apps/plan/plan_options.hpp"

namespace apps {

// The options of each topology that `given` names. Throws InputError.
[[nodiscard]] Places on_topologies(PlanOptions given,
                                   const boost::program_options::variables_map& values);

}  // namespace apps
