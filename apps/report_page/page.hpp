// Page: a study as one HTML file that loads nothing, from the parts in plots/report.
#pragma once

#include <string>
#include <string_view>

#include "apps/sweep/spec.hpp"

namespace apps {

// The page's policy (Content-Security-Policy) lets a browser run the script and the style that ship,
// by their SHA-256, and nothing else: no text of a store becomes a program, and nothing is loaded.
[[nodiscard]] std::string page_of(const Inputs& study);

// As the text of an HTML element or of an attribute in quotes.
[[nodiscard]] std::string html_text(std::string_view text);
// JSON that stays inside a <script> element, whatever its texts are.
[[nodiscard]] std::string script_json(const Inputs& json);

}  // namespace apps
