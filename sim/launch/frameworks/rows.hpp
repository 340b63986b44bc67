// SPDX-License-Identifier: Apache-2.0
// The frameworks, in files of their own.
#pragma once

#include "sim/launch/framework.hpp"

namespace sim::launch::frameworks {

extern const Framework torchtitan, megatron, nemo, mlperf, nanotron, gpt_neox, axolotl,
    llama_factory;

}  // namespace sim::launch::frameworks
