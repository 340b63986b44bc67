// How the studies of `validate` print rows and errors alike.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sim/validation/study.hpp"

namespace apps {

// "a100/gpt_1.3b/sharded" of "sdp4bit_throughput/a100/gpt_1.3b/sharded".
[[nodiscard]] std::string short_name(const std::string& row);
// "4.8 / 11.3 %", mean and worst.
[[nodiscard]] std::string error_text(const sim::validation::Errors& errors);
[[nodiscard]] nlohmann::ordered_json error_object(const sim::validation::Errors& errors);

}  // namespace apps
