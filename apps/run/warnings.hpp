// SPDX-License-Identifier: Apache-2.0
// What `run` warns of beside its answer.
#pragma once

#include "apps/run/run_options.hpp"

namespace apps {

// GPUs with less memory than the setup needs, with remedies; with --require-fit, throws an
// InputError instead.
void warn_of_memory(const RunOptions& options, const Job& job, const Setup& setup);
// Tensor-parallel groups that span nodes, and codec cards of the scheme within the sites.
void warn_of_layout(const Job& job);
// Unlike sites that all keep their share, as there are too few units to divide.
void warn_of_balance(const Job& job, const sim::Report& report);
// Codecs' kernels that were not timed for this size or this GPU.
void warn_of_kernels(const Job& job, const Setup& setup);
// Gradients whose overlap makes a round between sites longer, with a bucket size that does not.
void warn_of_overlap(const Job& job, const Setup& setup, const sim::Report& report);
// Approximate collectives.
void warn_of_folds(const sim::Report& report);

}  // namespace apps
