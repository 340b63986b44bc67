// SPDX-License-Identifier: Apache-2.0
// validate two-nodes and opendiloco: published times of rounds between sites.
#pragma once

#include <string>

namespace apps {

// Without what was published where only predictions are asked for.
void validate_two_nodes(const std::string& format, bool predictions);
void validate_opendiloco(const std::string& format, bool predictions);

}  // namespace apps
