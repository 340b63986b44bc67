// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace apps {

// The cores available to this process: those of the task, if Slurm gives their number.
[[nodiscard]] int usable_cores();

}  // namespace apps
