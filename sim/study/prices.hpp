// SPDX-License-Identifier: Apache-2.0
// What a study that asks for dollars needs.
#pragma once

#include <string_view>

#include "sim/study/job.hpp"

namespace sim::study {

// Throws an InputError that names this field of the question if GPUs of some site have no price.
void check_price(const Job& job, std::string_view field);

}  // namespace sim::study
