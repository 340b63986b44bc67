// SPDX-License-Identifier: Apache-2.0
// What a page of `serve` asks, and what it is answered: JSON texts.
//
// A question is an object:
//
//   as       what the answer is of
//   inputs   as in a sweep's spec: flags of run without their dashes, and keys of input files. "scheme" may
//            name several, separated by commas.
//   more     flags of run that the page adds and the command that it shows leaves out, e.g. {"range": "off"}
//   files    {"mine.toml": TEXT}: what "topology", "model" and "scheme" may name beside what ships
#pragma once

#include <string>
#include <string_view>

namespace apps::serve {

// Statuses of HTTP (RFC 9110).
inline constexpr int kAnswered = 200, kRefused = 422, kFailed = 500, kBusy = 503;

struct Reply {
  int status = kAnswered;
  std::string text;  // JSON
};

// {"problem": text}
[[nodiscard]] std::string problem(const std::string& text);

// By `as`:
//
//   run       {"command": the command line that prints the same, "sentence": run's answer, "notes": what run
//             says at standard error, "break_even": its lines, with {"break-even": true}, "reports": the JSON of
//             run}
//   csv       {"text": the CSV of run}
//   timeline  {"timeline": what timelines.hpp says of one point, from "operations" on}
//   perfetto  {"text": the timeline as Perfetto reads it}
//   hardware  of inputs.topology, see hardware.hpp
//   choices   {"topologies": ..., the names that ship, with a line each}
//
// or a problem, whose text is the message of run. Never throws.
// Simulates so many schemes at once.
[[nodiscard]] Reply answer(std::string_view question, int jobs);

}  // namespace apps::serve
