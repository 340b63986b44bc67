// What `solve` found, printed.
#pragma once

#include <string>
#include <vector>

#include "apps/search/bracket.hpp"

namespace apps {

// What is asked: the unknown and its unit, of what job.
struct Question {
  std::string unknown, unit, topology, model;
};

struct Answer {
  std::string scheme, goal;
  Found found;
  double met = 0, missed = 0;         // figures in the question's unit
  std::string met_text, missed_text;  // and for people
  bool fits_memory = true;            // what is asked about
};

// `format` is table, csv or json.
void print(const std::string& format, const Question& question, const std::vector<Answer>& answers);

}  // namespace apps
