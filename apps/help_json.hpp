// SPDX-License-Identifier: Apache-2.0
// The help of a command as JSON, from which the reference of its flags is made.
#pragma once

#include <boost/program_options.hpp>
#include <string>

namespace apps {

// {"usage": ..., "flags": [{"name", "short", "group", "takes_value", "repeats", "default", "text"}, ...]};
// `short` and `default` are empty where there is none.
[[nodiscard]] std::string help_json(const std::string& usage,
                                    const boost::program_options::options_description& flags);

}  // namespace apps
