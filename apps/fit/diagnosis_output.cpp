// SPDX-License-Identifier: Apache-2.0
#include "apps/fit/diagnosis_output.hpp"

#include <nlohmann/json.hpp>
#include <string>

#include "apps/print.hpp"
#include "apps/words.hpp"

namespace apps {

void print(const sim::study::Diagnosis& diagnosis) {
  for (const std::string& sentence : sentences_of(diagnosis)) {
    print_text("{}\n", with_flags(sentence));
  }
  print_text("\n");
}

nlohmann::ordered_json diagnosis_json(const sim::study::Diagnosis& diagnosis) {
  nlohmann::ordered_json json{{"sentences", sentences_of(diagnosis)},
                              {"measured_over_predicted", diagnosis.ratio},
                              {"measure", diagnosis.measure},
                              {"parts", nlohmann::ordered_json::array()}};
  for (const sim::study::PartFinding& one : diagnosis.parts) {
    nlohmann::ordered_json& record =
        json["parts"].emplace_back(nlohmann::ordered_json{{"part", name_of(one.part)},
                                                          {"standing", name_of(one.standing)},
                                                          {"share", nullptr},
                                                          {"low", nullptr},
                                                          {"high", nullptr},
                                                          {"gain", one.gain},
                                                          {"by_priors", one.is_by_priors}});
    if (!one.share) continue;
    record["share"] = *one.share;
    record["low"] = one.likely->low;
    record["high"] = one.likely->high;
  }
  return json;
}

int exit_code_of_misfits(const std::vector<std::string>& misfits, bool is_forced) {
  for (const std::string& one : misfits) print_note("warning: {}\n", with_flags(one));
  if (misfits.empty() || is_forced) return 0;
  print_note(
      "warning: this fit is hard to believe, and no file was written; --force takes it all the "
      "same\n");
  return 1;
}

}  // namespace apps
