// SPDX-License-Identifier: Apache-2.0
// Where the constants of a prediction come from, and the measured errors of a scheme's codecs.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "sim/program/plan_step.hpp"
#include "sim/report/report.hpp"

namespace sim {

struct JsonDocument;

// By constant: "data sheet in topologies/x.toml", "fitted on ...", "roofline: ...".
[[nodiscard]] std::map<std::string, std::string> sources_of(const StepContext& context,
                                                            const Scheme& scheme);

// Of the share of the roofline that operators are taken to reach: "0.61, default ...". Empty where
// they are to reach all of it.
[[nodiscard]] std::string efficiency_source(const Cluster& cluster);

// What steps that kMostUnfolded unfolds would be off by at most if they were folded: the worst row of
// tests/schedule/uneven_steps.csv, which gardenhose-fold-steps writes.
inline constexpr double kUnevenError = 0.12;
// The same where hashes or other jobs load links unevenly: 23 % was the worst of nine cases.
inline constexpr double kUnevenLinksError = 0.25;

// Of a schedule that is Schedule::in_phase.
[[nodiscard]] std::string in_phase_text();
// Of a schedule that is approximate: in which way, and how far it may be off.
[[nodiscard]] std::string approximation(double unfolded_flows);

// Relative L2 errors of the sum of independent gradients by distribution, of the sum of 256 steps
// where there is error feedback ("sum_of_256"), and of the weights by learning rate of Adam or by
// distribution ("weights_lr_6e-4"), from the table that gardenhose-codec-error wrote or from the
// scheme's cards. Those of a reduction that was not measured are composed of single encodes where
// that is right, and not known elsewhere: over other numbers of ranks too, unless the measured ones
// differ by no more than a tenth. Values that travel as they are have none. Throws InputError where
// the table lacks what it should have.
[[nodiscard]] CodecErrors codec_errors(const JsonDocument& table, const StepContext& context,
                                       const Scheme& scheme);

}  // namespace sim
