// SPDX-License-Identifier: Apache-2.0
// The points of a sweep as `gardenhose run` runs them: an input is a flag, or a key of an input file
// as --set spells it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>

#include "apps/commands.hpp"
#include "sim/base/toml_keys.hpp"
#include "sim/study/sweep/sweep.hpp"

namespace apps {

using sim::sweep::column_of;
using sim::sweep::folder_of;
using sim::sweep::id_of;
using sim::sweep::Inputs;
using sim::sweep::or_null;
using sim::sweep::Spec;
using sim::sweep::Store;
using sim::sweep::StoredPoint;
using sim::sweep::text_of;
using sim::sweep::Totals;

// The keys of a spec.
[[nodiscard]] std::span<const sim::TomlKey> spec_keys();
// The flags of run as keys, but those that a sweep gives itself.
[[nodiscard]] sim::sweep::InputRules run_inputs();
[[nodiscard]] Spec read_spec(const std::filesystem::path& file);

// The command line of a point, starting with "run".
[[nodiscard]] Arguments arguments_of(const Inputs& inputs);
// Runs a point with more arguments of run; see Runner.
[[nodiscard]] Inputs report_of_point(const Inputs& inputs, const Arguments& more = {});
// Points that run in `folder`. Progress shows at standard error.
[[nodiscard]] sim::sweep::Runner run_in(const std::filesystem::path& folder);
// Runs the open points of a store; notes those with values that no point can run with.
[[nodiscard]] Totals run_open_points(Store& store, sim::sweep::Origins& origins,
                                     const sim::sweep::Runner& runner,
                                     const sim::sweep::Signals& signals,
                                     const sim::sweep::Session& session);
// "7 done, 0 too large for the GPUs' memory, 1 refused, 0 crashed, 2 open".
[[nodiscard]] std::string states_text(std::map<std::string, std::int64_t> counts);
// Notes open points, which no command but sweep runs.
void note_open(Store& store);

}  // namespace apps
