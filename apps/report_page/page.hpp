// SPDX-License-Identifier: Apache-2.0
// Page: a study as one HTML file that loads nothing, from the parts in plots.
#pragma once

#include <string>
#include <string_view>

#include "apps/sweep/points.hpp"

namespace apps {

// The page's policy (Content-Security-Policy) lets a browser run the shipped script and style, by
// their SHA-256, and nothing else: no text of a store can become a program, and nothing is loaded.
[[nodiscard]] std::string page_of(const Inputs& study);
// The page of `gardenhose serve`, which opens with these inputs of run. Its script may ask the server that
// it came from, and nobody else.
[[nodiscard]] std::string serve_page(const Inputs& first);

// By the name of each figure: the symbol of its unit.
[[nodiscard]] Inputs figure_units();

// As the text of an HTML element or of an attribute in quotes.
[[nodiscard]] std::string html_text(std::string_view text);
// JSON that stays inside a <script> element, whatever its texts.
[[nodiscard]] std::string script_json(const Inputs& json);

}  // namespace apps
