// SPDX-License-Identifier: Apache-2.0
// --from: the flags that another framework's launch file stands for.
#pragma once

#include <boost/program_options.hpp>
#include <optional>
#include <set>
#include <string>

#include "apps/commands.hpp"

namespace apps {

inline constexpr const char* kFromHelp =
    "launch file of the job: a torchtitan TOML, a script or log with Megatron-LM's arguments, "
    "NeMo's, nanotron's, gpt-neox's, axolotl's or LLaMA-Factory's YAML, a DeepSpeed JSON, or an "
    "MLPerf submission's exports. Prints the flags that it stands for and what of it is not "
    "modelled; flags that you pass win";
inline constexpr const char* kPrintFlagsHelp =
    "with --from: print the flags on standard output, and simulate nothing";

// The arguments with the flags of --from's file in front; as they are without --from. Nothing for
// --print-flags, once they are printed. Leaves out what `flags` has not, and says so. Throws
// InputError as sim/launch/launch.hpp does, also where the file names no model that is known here.
[[nodiscard]] std::optional<Arguments> with_launch_file(
    const Arguments& arguments, const boost::program_options::options_description& flags);

// Takes from `names`, those of given flags, what only --from's file says and a search for the fastest
// options may change: it asks what to change in the file. What changes what is learnt, the precisions
// and the size of a step, stays.
void open_fields_of_file(const Arguments& given, std::set<std::string>& names);

}  // namespace apps
