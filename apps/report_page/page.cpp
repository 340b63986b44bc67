// SPDX-License-Identifier: Apache-2.0
#include "apps/report_page/page.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "apps/data_files.hpp"
#include "sim/base/error.hpp"
#include "sim/base/file.hpp"
#include "sim/report/figures.hpp"

namespace apps {
namespace {

// The parts of a page, below plots, scripts in the order in which each needs those before it.
struct Parts {
  const char* folder;  // with bar.html, what stands at the top, main.html and style.css
  std::vector<const char*> scripts;
  const char* policy;  // beyond script and style
};

const Parts& report_parts() {
  static const Parts parts{
      "report",
      {"page/text.js", "page/looks.js", "report/study.js", "page/controls.js", "report/choices.js",
       "page/axes.js", "page/bars.js", "report/chart.js", "report/breakdown.js",
       "report/winners.js", "page/overlap.js", "page/timeline.js", "report/timelines.js",
       "report/table.js", "report/overview.js", "page/theme.js", "page/width.js", "report/main.js"},
      ""};
  return parts;
}

const Parts& serve_parts() {
  static const Parts parts{
      "serve",
      {"page/text.js",       "page/looks.js",    "page/controls.js", "page/axes.js",
       "page/bars.js",       "page/overlap.js",  "page/timeline.js", "serve/state.js",
       "serve/server.js",    "serve/files.js",   "serve/rows.js",    "serve/controls.js",
       "serve/pictures.js",  "serve/answers.js", "serve/beside.js",  "serve/later.js",
       "serve/downloads.js", "page/theme.js",    "page/width.js",    "serve/main.js"},
      "; connect-src 'self'"};
  return parts;
}

// "sha256-..." as a policy names a script.
std::string policy_hash(std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  const int done =
      EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha256(), nullptr);
  sim::require(done == 1, "OpenSSL has SHA-256");
  std::array<unsigned char, std::size_t{2} * EVP_MAX_MD_SIZE> base64{};
  EVP_EncodeBlock(base64.data(), digest.data(), static_cast<int>(size));
  return std::string("sha256-") + reinterpret_cast<const char*>(base64.data());
}

// The template with a text in place of each {{name}}; what is put in is not looked at again.
std::string filled(std::string_view page, const std::map<std::string_view, std::string>& parts) {
  std::string text;
  for (std::size_t at = 0; at < page.size();) {
    const std::size_t begin = page.find("{{", at);
    const std::size_t end = page.find("}}", begin);
    text += page.substr(at, begin - at);
    if (end == std::string_view::npos) break;
    text += parts.at(page.substr(begin + 2, end - begin - 2));
    at = end + 2;
  }
  return text;
}

std::string page_of(const Parts& parts, Inputs data) {
  const std::filesystem::path folder = data_directory() / "plots";
  data["looks"] = Inputs::parse(sim::read_file(folder / "page/looks.json"));
  const auto joined = [&](const std::vector<const char*>& files) {
    std::string text;
    for (const char* file : files) text += sim::read_file(folder / file);
    return text;
  };
  const std::string style = sim::read_file(folder / "page" / "style.css") +
                            sim::read_file(folder / parts.folder / "style.css");
  const std::string script = "\"use strict\";\n(() => {\n" + joined(parts.scripts) + "})();\n";
  const std::string policy =
      "default-src 'none'; base-uri 'none'; form-action 'none'; script-src '" +
      policy_hash(script) + "'; style-src '" + policy_hash(style) +
      "'; img-src data:" + parts.policy;
  return filled(sim::read_file(folder / "page" / "page.html"),
                {{"policy", policy},
                 {"bar", sim::read_file(folder / parts.folder / "bar.html")},
                 {"main", sim::read_file(folder / parts.folder / "main.html")},
                 {"class", parts.folder},
                 {"title", html_text(data.at("title").get<std::string>())},
                 {"style", style},
                 {"study", script_json(data)},
                 {"script", script}});
}

}  // namespace

std::string html_text(std::string_view text) {
  using Escape = std::pair<char, std::string_view>;
  constexpr static Escape kEscapes[] = {
      {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
  std::string escaped;
  for (const char& letter : text) {
    const auto* const found = std::ranges::find(kEscapes, letter, &Escape::first);
    escaped += found == std::end(kEscapes) ? std::string_view(&letter, 1) : found->second;
  }
  return escaped;
}

std::string script_json(const Inputs& json) {
  std::string text;
  // Names of files and messages may be no UTF-8.
  for (const char letter : json.dump(-1, ' ', false, Inputs::error_handler_t::replace)) {
    if (letter == '<') {
      text += "\\u003c";
    } else {
      text += letter;
    }
  }
  return text;
}

Inputs figure_units() {
  Inputs units = Inputs::object();
  for (const sim::Figure& figure : sim::all_figures()) {
    units[std::string(figure.name)] = figure.unit.symbol;
  }
  return units;
}

std::string page_of(const Inputs& study) { return page_of(report_parts(), study); }

std::string serve_page(const Inputs& first) {
  return page_of(serve_parts(),
                 {{"title", "What if"}, {"units", figure_units()}, {"first", first}});
}

}  // namespace apps
