// SPDX-License-Identifier: Apache-2.0
#include "apps/man_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <sstream>
#include <string_view>

#include "apps/help_rows.hpp"

namespace apps {
namespace {

// A dash is a minus that can be copied; a line that begins with a dot or a quote is no request.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if ((c == '.' || c == '\'') && (result.empty() || result.back() == '\n')) result += "\\&";
    if (c == '-') result += '\\';
    result += c == '\\' ? "\\e" : std::string(1, c);
  }
  return result;
}

// "gardenhose-run" of "usage: gardenhose run --topology ...".
std::string name_of(const std::string& usage) {
  std::istringstream words(usage);
  std::string colon, program, command;
  words >> colon >> program >> command;
  const bool names_one =
      std::ranges::all_of(command, [](unsigned char c) { return std::islower(c); });
  return names_one ? program + "-" + command : program;
}

// The first sentence, on one line.
std::string first_sentence(const std::string& text) {
  std::string sentence = text.substr(0, text.find_first_of(".?") + 1);
  std::ranges::replace(sentence, '\n', ' ');
  return sentence;
}

std::string as_it_stands(const std::string& text) {
  return fmt::format(".nf\n{}\n.fi\n", escaped(text));
}

std::string option(const HelpRow& row) {
  const std::string also = row.short_name.empty() ? "" : row.short_name + ", ";
  const std::string value = row.takes_value ? " \\fIvalue\\fR" : "";
  const std::string usual =
      row.default_value.empty() ? "" : fmt::format(" (default: {})", row.default_value);
  return fmt::format(".TP\n\\fB{}\\fR{}\n{}\n", escaped(also + "--" + row.name), value,
                     escaped(row.text + usual));
}

}  // namespace

std::string man_page(const std::string& usage,
                     const boost::program_options::options_description& flags) {
  constexpr std::string_view kStart = "usage: ";
  const std::size_t end = usage.find("\n\n");
  const std::string synopsis = usage.substr(kStart.size(), end - kStart.size());
  const std::string description = usage.substr(std::min(end, usage.size() - 2) + 2);
  std::string page = fmt::format(
      ".TH {0} 1 \"\" \"gardenhose {1}\"\n.SH NAME\n{0} \\- {2}\n.SH SYNOPSIS\n{3}", name_of(usage),
      GARDENHOSE_VERSION, escaped(first_sentence(description)), as_it_stands(synopsis));
  page += ".SH DESCRIPTION\n" + as_it_stands(description);
  std::string group = "Flags";
  if (!flags.options().empty()) page += ".SH OPTIONS\n";
  for (const HelpRow& row : help_rows(flags)) {
    if (!row.group.empty() && row.group != group) page += fmt::format(".SS {}\n", row.group);
    group = row.group;
    page += option(row);
  }
  return page;
}

}  // namespace apps
