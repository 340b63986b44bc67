// How the studies of `validate` print rows and errors alike.
#pragma once

#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "sim/validation/study.hpp"

namespace apps {

// The predictions of studies whose null model is not refitted, by name.
inline constexpr std::array<std::pair<const char*, sim::validation::Column>, 3> kThreeColumns{
    {{"blind", &sim::validation::Columns::blind},
     {"fitted", &sim::validation::Columns::fitted},
     {"null_model", &sim::validation::Columns::null_model}}};

// "a100/gpt_1.3b/sharded" of "sdp4bit_throughput/a100/gpt_1.3b/sharded".
[[nodiscard]] std::string short_name(const std::string& row);
// "4.8 / 11.3 %", mean and worst.
[[nodiscard]] std::string error_text(const sim::validation::Errors& errors);
[[nodiscard]] nlohmann::ordered_json error_object(const sim::validation::Errors& errors);

}  // namespace apps
