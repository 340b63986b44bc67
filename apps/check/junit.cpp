// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <pugixml.hpp>
#include <set>
#include <sstream>

#include "apps/check/outputs.hpp"
#include "sim/base/printable.hpp"

namespace apps {
namespace {

// Parsers refuse texts of more than 10 MB.
constexpr std::size_t kMostLines = 500;
constexpr std::size_t kLongestLine = 4000;  // bytes of a line
constexpr std::size_t kLongestName = 3900;  // of a case's name, without its number

void add_attribute(pugi::xml_node node, const char* name, const std::string& value) {
  node.append_attribute(name) = sim::printable_line(value, kLongestLine).c_str();
}

// Lines of text, each made fit for XML.
void add_text(pugi::xml_node node, const std::vector<std::string>& lines) {
  std::string text;
  const std::size_t shown = std::min(kMostLines, lines.size());
  for (std::size_t i = 0; i < shown; ++i)
    text += sim::printable_line(lines[i], kLongestLine) + "\n";
  if (shown < lines.size()) text += fmt::format("... and {} more\n", lines.size() - shown);
  node.append_child(pugi::node_pcdata).set_value(text.c_str());
}

// The first of what is worst.
std::string headline(const ComparedPoint& compared) {
  const Verdict worst = compared.verdict();
  const auto found = std::ranges::find(compared.differences, worst, &Difference::verdict);
  const auto place = static_cast<std::size_t>(found - compared.differences.begin());
  const std::vector<std::string> lines = lines_of(compared);
  return place < lines.size() ? lines[place] : "";
}

// The inputs as people write them. CI systems take cases of one name for one case, so where these are
// alike (nodes = 1 and nodes = "1"), the inputs as JSON has them; then with a number.
std::vector<std::string> names_of(const ComparedResults& comparison) {
  const Labels labels(comparison);
  std::vector<std::string> names;
  std::map<std::string, int> count;
  for (const ComparedPoint& compared : comparison.points) {
    names.push_back(sim::printable_line(labels.of(*compared.point, true), kLongestName));
    ++count[names.back()];
  }
  std::set<std::string> taken;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (count[names[i]] > 1) {
      names[i] = sim::printable_line(sim::sweep::line_of(comparison.points[i].point->inputs),
                                     kLongestName);
    }
    const std::string name = names[i];
    for (int n = 2; !taken.insert(names[i]).second; ++n) names[i] = fmt::format("{} #{}", name, n);
  }
  return names;
}

void add_case(pugi::xml_node suite, const ComparedPoint& compared, const std::string& name,
              const CheckedNames& names) {
  pugi::xml_node test = suite.append_child("testcase");
  add_attribute(test, "classname", names.subject);
  add_attribute(test, "name", name);
  add_attribute(test, "time", fmt::format("{:.3f}", compared.point->wall_s));
  if (fails(compared.verdict(), names.strict)) {
    pugi::xml_node failure = test.append_child(compared.crashed ? "error" : "failure");
    add_attribute(failure, "type", verdict_text(compared.verdict()));
    add_attribute(failure, "message", headline(compared));
    add_text(failure, lines_of(compared));
  } else if (!compared.differences.empty()) {
    add_text(test.append_child("system-out"), lines_of(compared));
  }
}

}  // namespace

std::string to_junit(const ComparedResults& comparison, const CheckedNames& names) {
  int failed = 0, crashed = 0;
  for (const ComparedPoint& compared : comparison.points) {
    if (!fails(compared.verdict(), names.strict)) continue;
    (compared.crashed ? crashed : failed) += 1;
  }
  pugi::xml_document document;
  pugi::xml_node suites = document.append_child("testsuites");
  pugi::xml_node suite = suites.append_child("testsuite");
  for (pugi::xml_node node : {suites, suite}) {
    add_attribute(node, "name", fmt::format("gardenhose check {}", names.subject));
    node.append_attribute("tests") = comparison.points.size();
    node.append_attribute("failures") = failed;
    node.append_attribute("errors") = crashed;
  }
  const std::vector<std::string> cases = names_of(comparison);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    add_case(suite, comparison.points[i], cases[i], names);
  }
  const std::vector<std::string> changes = change_lines(comparison);
  if (!changes.empty()) {
    add_text(suite.append_child("system-out"), changes);
  }
  std::ostringstream text;
  document.save(text, " ");
  return std::move(text).str();
}

}  // namespace apps
