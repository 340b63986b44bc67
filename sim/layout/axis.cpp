// SPDX-License-Identifier: Apache-2.0
#include "sim/layout/axis.hpp"

// Those with an exchange stand beside it, in sim/program.
namespace sim {

constinit const Axis axes::data{.name = "dp", .splits = Splits::samples};
constinit const Axis axes::pipeline{.name = "pp"};
constinit const Axis axes::expert_data{
    .name = "edp", .splits = Splits::samples, .of = Weights::experts};

}  // namespace sim
