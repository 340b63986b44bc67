// SPDX-License-Identifier: Apache-2.0
#include "apps/serve/answers.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "apps/arguments.hpp"
#include "apps/catalogue.hpp"
#include "apps/data_files.hpp"
#include "apps/exit_code.hpp"
#include "apps/report_page/timelines.hpp"
#include "apps/run/run_options.hpp"
#include "apps/serve/captured.hpp"
#include "apps/serve/hardware.hpp"
#include "apps/sweep/points.hpp"
#include "sim/base/error.hpp"
#include "sim/base/file.hpp"
#include "sim/base/json_reader.hpp"

namespace apps::serve {
namespace {

constexpr std::size_t kMostFiles = 8;
// Ranks or sites drawn in a timeline.
constexpr int kRanksDrawn = 4;

struct Question {
  std::string as;
  Inputs inputs = Inputs::object(), more = Inputs::object();
  std::map<std::string, std::string, std::less<>> files;
  int jobs = 1;
};

// A flag or a setting, checked as a sweep's spec has it.
void check(const std::string& key, const Inputs& value) {
  static const sim::sweep::InputRules rules = run_inputs();
  std::string problem = rules.problem_of_key(key);
  if (problem.empty() && !value.is_primitive()) problem = "write a string, a number, true or false";
  if (problem.empty() && value.is_null()) problem = "write a value, or leave the key out";
  const bool is_list = key == "scheme" && value.is_string();
  if (problem.empty() && !is_list) problem = rules.problem_of_value(key, value);
  if (problem.empty() && value.is_string() && has_control_characters(value.get<std::string>())) {
    problem = "contains a control character; remove it";
  }
  if (!problem.empty()) throw sim::InputError(sim::printable(key) + ": " + problem);
}

Inputs checked_inputs(const sim::JsonReader& all) {
  all.require_object();
  Inputs inputs = all.ordered_copy();
  for (const auto& [key, value] : inputs.items()) check(key, value);
  return inputs;
}

Question read_question(std::string_view text) {
  const sim::JsonDocument document = sim::parse_json(text, "question");
  const sim::JsonReader all(document);
  all.require_object();
  all.only({"as", "inputs", "more", "files"});
  Question question{.as = all.at("as").text()};
  if (all.has("inputs")) question.inputs = checked_inputs(all.at("inputs"));
  if (all.has("more")) question.more = checked_inputs(all.at("more"));
  if (all.has("files")) {
    all.at("files").each_key([&](const std::string& name, const sim::JsonReader& file) {
      if (question.files.size() == kMostFiles) file.fail("is one of more files than eight");
      if (name.find('/') != std::string::npos)
        file.fail("has a name with a slash; leave folders out");
      question.files.emplace(name, file.any_text());
    });
  }
  return question;
}

// Without "run".
Arguments asked(const Question& question) {
  Inputs inputs = question.inputs;
  inputs.update(question.more);
  Arguments arguments = arguments_of(inputs);
  arguments.erase(arguments.begin());
  arguments.push_back("--jobs=" + std::to_string(question.jobs));
  return arguments;
}

std::string command_of(const Question& question) {
  Arguments arguments = arguments_of(question.inputs);
  arguments.insert(arguments.begin(), "gardenhose");
  return shell_text(arguments);
}

std::string run(const Question& question) {
  RunTexts texts;
  const std::string notes = captured([&] { texts = texts_of(asked(question)); });
  const Inputs head = {{"command", command_of(question)},
                       {"sentence", texts.sentence},
                       {"notes", notes},
                       {"break_even", texts.break_evens}};
  std::string text = sim::sweep::line_of(head);
  text.pop_back();  // the reports go in as they are, to the last digit
  return text + ",\"reports\":" + texts.json + "}";
}

std::string as_text(const std::string& text) { return sim::sweep::line_of({{"text", text}}); }

std::string csv(const Question& question) {
  RunTexts texts;
  static_cast<void>(captured([&] { texts = texts_of(asked(question)); }));
  return as_text(texts.csv);
}

std::string perfetto_of(const Question& question, int ranks) {
  Arguments arguments = asked(question);
  arguments.emplace_back("--range=off");
  RunTexts texts;
  static_cast<void>(captured([&] { texts = texts_of(arguments, ranks); }));
  return texts.perfetto;
}

std::string topology_of(const Question& question) {
  const Inputs topology = question.inputs.value("topology", Inputs());
  if (!topology.is_string()) throw sim::InputError("topology: name one");
  return topology.get<std::string>();
}

// {"models": [{"name": ..., "summary": ...}, ...], ...}
std::string choices(const Question&) {
  Inputs all;
  for (const Section& section : catalogue()) {
    constexpr std::string_view kNamed[] = {"topologies", "sites", "models", "schemes"};
    if (std::ranges::find(kNamed, section.name) == std::end(kNamed)) continue;
    for (const Listing& listing : section.listings()) {
      Inputs& rows = all[std::string(listing.name)] = Inputs::array();
      for (const auto& row : listing.rows) {
        rows.push_back({{"name", row.front()}, {"summary", row.back()}});
      }
    }
  }
  return sim::sweep::line_of(all);
}

struct AnswerKind {
  std::string_view as;
  std::string (*answer)(const Question&);
};
constexpr AnswerKind kKinds[] = {
    {"run", run},
    {"csv", csv},
    {"timeline",
     [](const Question& one) {
       return sim::sweep::line_of(
           {{"timeline", events_of(perfetto_of(one, kRanksDrawn), kMostOperations)}});
     }},
    {"perfetto", [](const Question& one) { return as_text(perfetto_of(one, 0)); }},
    {"hardware",
     [](const Question& one) { return sim::sweep::line_of(hardware_of(topology_of(one))); }},
    {"choices", choices},
};

}  // namespace

std::string problem(const std::string& text) { return sim::sweep::line_of({{"problem", text}}); }

Reply answer(std::string_view text, int jobs) {
  try {
    Question question = read_question(text);
    question.jobs = jobs;
    const auto* const kind = std::ranges::find(kKinds, question.as, &AnswerKind::as);
    if (kind == std::end(kKinds)) {
      throw sim::InputError("as: '" + sim::printable(question.as) + "' is no kind of answer");
    }
    sim::read_only({data_directory() / "topologies", data_directory() / "traces"}, question.files);
    return {kAnswered, kind->answer(question)};
  } catch (const sim::LacksResources& error) {
    return {kBusy, problem(error.what())};
  } catch (const sim::InputError& error) {
    return {kRefused, problem(error.what())};
  } catch (const std::exception& error) {
    return {kFailed, problem(error.what())};
  }
}

}  // namespace apps::serve
