// SPDX-License-Identifier: Apache-2.0
#include "apps/fit/compute_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "apps/fit/constants_table.hpp"
#include "apps/fit/diagnosis_output.hpp"
#include "apps/print.hpp"
#include "apps/print_records.hpp"
#include "apps/terminal.hpp"
#include "apps/words.hpp"
#include "sim/base/joined.hpp"
#include "sim/base/text_table.hpp"
#include "sim/study/fit/cluster_file.hpp"

namespace apps {
namespace {

namespace study = sim::study;
using study::ComputeFit;
using study::FittedJobConstant;
using study::GroupTime;
using study::JobConstantKept;
using study::KeptJobConstant;
using study::MeasuredStep;
using ComputeJson = nlohmann::ordered_json;

constexpr KeptReason<JobConstantKept> kKeptTexts[] = {
    {JobConstantKept::not_seen, "not_seen", "as in the base, because it is not seen by this data"},
    {JobConstantKept::not_alone, "not_alone",
     "as in the base, because the measurements do not separate it from others"},
    {JobConstantKept::unused, "unused", "as in the base, because no measurement depends on it"}};

std::string milliseconds(double seconds) { return fmt::format("{:.3f} ms", 1e3 * seconds); }
std::string signed_percent(double share) { return fmt::format("{:+.1f} %", 100 * share); }

std::vector<ComputeJson> fitted_records(const ComputeFit& fit) {
  std::vector<ComputeJson> records;
  const auto add = [&](const study::JobConstant& constant, double base) -> ComputeJson& {
    return records.emplace_back(ComputeJson{{"key", constant.key},
                                            {"unit", constant.is_seconds ? "s" : "share"},
                                            {"fitted", nullptr},
                                            {"low", nullptr},
                                            {"high", nullptr},
                                            {"base", base},
                                            {"kept", nullptr}});
  };
  for (const FittedJobConstant& one : fit.fitted) {
    ComputeJson& record = add(*one.constant, one.base);
    record["fitted"] = one.value;
    if (!one.interval) continue;
    record["low"] = one.interval->low;
    record["high"] = one.interval->high;
  }
  for (const KeptJobConstant& one : fit.kept) {
    add(*one.constant, one.base)["kept"] =
        std::ranges::find(kKeptTexts, one.because, &KeptReason<JobConstantKept>::because)->key;
  }
  return records;
}

// Of predicted steps.
struct StepErrors {
  const char* name;
  const char* key;
  std::size_t count = 0;
  double mean = 0, worst = 0;
  std::string worst_step;
};

StepErrors step_errors(const char* name, const char* key, const std::vector<MeasuredStep>& steps,
                       const std::vector<double>& predicted_s) {
  StepErrors errors{name, key, steps.size()};
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const double error = predicted_s[i] / steps[i].seconds - 1;
    errors.mean += std::abs(error) / static_cast<double>(steps.size());
    if (i > 0 && std::abs(error) <= std::abs(errors.worst)) continue;
    errors.worst = error;
    errors.worst_step = steps[i].name;
  }
  return errors;
}

std::vector<StepErrors> errors_in(const StepFitAnswer& answer) {
  std::vector<StepErrors> errors{step_errors("fit", "fit", answer.steps, answer.fit.fit_s)};
  if (!answer.fit.without_s.empty()) {
    errors.push_back(step_errors("  each step predicted from the others", "fit_without_step",
                                 answer.steps, answer.fit.without_s));
  }
  errors.push_back(step_errors("base", "base", answer.steps, answer.fit.base_s));
  if (answer.held.empty()) return errors;
  errors.push_back(step_errors("held out: fit", "held_fit", answer.held, answer.held_fit_s));
  errors.push_back(step_errors("held out: base", "held_base", answer.held, answer.held_base_s));
  return errors;
}

sim::TextTable step_errors_table(const std::vector<StepErrors>& errors) {
  sim::TextTable table{.align = "<"};
  table.rows.push_back(
      sim::heading_row({"errors of the step time", "steps", "mean", "worst", "at"}));
  for (const StepErrors& one : errors) {
    table.rows.push_back({one.name, fmt::format("{}", one.count),
                          fmt::format("{:.1f} %", 100 * one.mean), signed_percent(one.worst),
                          one.worst_step});
  }
  return table;
}

sim::TextTable steps_table(const StepFitAnswer& answer) {
  sim::TextTable table{.align = "<"};
  table.rows.push_back(sim::heading_row({"step", "measured", "base", "fit", "from the others"}));
  const auto error_text = [](double predicted_s, const MeasuredStep& step) {
    return signed_percent(predicted_s / step.seconds - 1);
  };
  const bool has_others = !answer.fit.without_s.empty();
  for (std::size_t i = 0; i < answer.steps.size(); ++i) {
    const MeasuredStep& step = answer.steps[i];
    table.rows.push_back({step.name, fmt::format("{:.4g} s", step.seconds),
                          error_text(answer.fit.base_s[i], step),
                          error_text(answer.fit.fit_s[i], step),
                          has_others ? error_text(answer.fit.without_s[i], step) : "-"});
  }
  for (std::size_t i = 0; i < answer.held.size(); ++i) {
    const MeasuredStep& step = answer.held[i];
    table.rows.push_back({step.name + " (held out)", fmt::format("{:.4g} s", step.seconds),
                          error_text(answer.held_base_s[i], step), "-",
                          error_text(answer.held_fit_s[i], step)});
  }
  return table;
}

std::vector<ComputeJson> step_records(const StepFitAnswer& answer) {
  std::vector<ComputeJson> records;
  for (std::size_t i = 0; i < answer.steps.size(); ++i) {
    ComputeJson& record = records.emplace_back(ComputeJson{{"step", answer.steps[i].name},
                                                           {"held_out", false},
                                                           {"measured_s", answer.steps[i].seconds},
                                                           {"base_s", answer.fit.base_s[i]},
                                                           {"fit_s", answer.fit.fit_s[i]},
                                                           {"from_others_s", nullptr}});
    if (!answer.fit.without_s.empty()) record["from_others_s"] = answer.fit.without_s[i];
  }
  for (std::size_t i = 0; i < answer.held.size(); ++i) {
    records.push_back({{"step", answer.held[i].name},
                       {"held_out", true},
                       {"measured_s", answer.held[i].seconds},
                       {"base_s", answer.held_base_s[i]},
                       {"fit_s", nullptr},
                       {"from_others_s", answer.held_fit_s[i]}});
  }
  return records;
}

ComputeJson json_of(const StepFitAnswer& answer) {
  ComputeJson json{{"schema_version", 1},
                   {"base", answer.steps.front().job.cluster().name},
                   {"diagnosis", diagnosis_json(answer.diagnosis)},
                   {"misfits", answer.misfits},
                   {"constants", fitted_records(answer.fit)},
                   {"steps", step_records(answer)}};
  for (const StepErrors& one : errors_in(answer)) {
    json["errors"][one.key] = {{"count", one.count},
                               {"mean", one.mean},
                               {"worst", one.worst},
                               {"worst_step", one.worst_step}};
  }
  return json;
}

void print_rest(const ComputeFit& fit) {
  for (const FittedJobConstant& one : fit.fitted) {
    if (!is_rest(*one.constant)) continue;
    print_text(
        "\nA rest of {} a step is outside the model: no cluster file holds it; add it to what "
        "other commands predict.\n",
        value_text(*one.constant, one.value));
  }
}

void print_outliers(const StepFitAnswer& answer) {
  std::vector<std::string> names;
  for (const std::size_t i : answer.fit.outliers) names.push_back(answer.steps[i].name);
  if (names.empty()) return;
  print_text("\nFar from what the others predict, and counted less: {}.\n", sim::joined(names));
}

// What the predictions rest on beyond what was measured.
void print_carry(const StepFitAnswer& answer) {
  int fewest = rank_count(answer.steps.front().job.cluster()), most = fewest;
  for (const MeasuredStep& step : answer.steps) {
    const int gpus = rank_count(step.job.cluster());
    fewest = std::min(fewest, gpus);
    most = std::max(most, gpus);
  }
  print_text("\nThe steps are of {} GPUs. Others are extrapolated{}.\n",
             fewest == most ? std::to_string(most) : fmt::format("{} to {}", fewest, most),
             answer.fit.without_s.empty()
                 ? "; their error is not known, as there are too few steps to leave one out"
                 : "; expect the error of steps predicted from the others, or more");
}

sim::TextTable groups_table(const TraceFitAnswer& answer) {
  sim::TextTable table{.align = "<"};
  table.rows.push_back(
      sim::heading_row({"kernels", "measured", "95 %", "base", "fit", "count", "in the model"}));
  const auto error_text = [](double predicted_s, const GroupTime& one) {
    if (predicted_s <= 0 || one.measured_s <= 0) return std::string("-");
    return signed_percent(predicted_s / one.measured_s - 1);
  };
  for (const GroupTime& one : answer.fit.groups) {
    table.rows.push_back(
        {std::string(one.group->text), milliseconds(one.measured_s),
         one.interval ? fmt::format("±{:.3f}", 1e3 * (one.interval->high - one.measured_s)) : "-",
         error_text(one.base_s, one), error_text(one.fit_s, one),
         fmt::format("{:.0f}", one.kernels), fmt::format("{:.0f}", one.model_kernels)});
  }
  table.rows.push_back({"step", milliseconds(answer.fit.measured_step_s), "-",
                        signed_percent(answer.fit.base_step_s / answer.fit.measured_step_s - 1),
                        signed_percent(answer.fit.fit_step_s / answer.fit.measured_step_s - 1)});
  return table;
}

std::vector<ComputeJson> group_records(const TraceFitAnswer& answer) {
  std::vector<ComputeJson> records;
  for (const GroupTime& one : answer.fit.groups) {
    ComputeJson& record = records.emplace_back(ComputeJson{{"kernels", one.group->name},
                                                           {"measured_s", one.measured_s},
                                                           {"low_s", nullptr},
                                                           {"high_s", nullptr},
                                                           {"base_s", one.base_s},
                                                           {"fit_s", one.fit_s},
                                                           {"count", one.kernels},
                                                           {"model_count", one.model_kernels},
                                                           {"fitted", one.is_fitted}});
    if (!one.interval) continue;
    record["low_s"] = one.interval->low;
    record["high_s"] = one.interval->high;
  }
  return records;
}

// By time, with the longest kernels of each class.
ComputeJson unmodelled_json(const TraceFitAnswer& answer) {
  ComputeJson json = ComputeJson::array();
  for (const sim::trace::ClassTime& one : answer.fit.unmodelled) {
    json.push_back({{"class", row_of(one.value).name},
                    {"time_s", one.seconds.mean},
                    {"kernels", one.kernels}});
  }
  return json;
}

ComputeJson json_of(const TraceFitAnswer& answer) {
  return {{"schema_version", 1},
          {"gpu", answer.measured.device},
          {"steps", answer.measured.steps},
          {"misfits", answer.misfits},
          {"constants", fitted_records(answer.fit.fit)},
          {"kernels", group_records(answer)},
          {"not_in_model", unmodelled_json(answer)},
          {"measured_step_s", answer.fit.measured_step_s},
          {"base_step_s", answer.fit.base_step_s},
          {"fit_step_s", answer.fit.fit_step_s},
          {"measured_idle_s", answer.measured.idle_s},
          {"base_idle_s", answer.fit.base_idle_s},
          {"measured_exposed_comm_s", answer.measured.exposed_s}};
}

void print_unmodelled(const TraceFitAnswer& answer) {
  if (answer.fit.unmodelled.empty()) {
    return print_text("\nThe model has every class of kernels that the trace has.\n");
  }
  print_text("\nkernels that the model has not\n");
  for (const sim::trace::ClassTime& one : answer.fit.unmodelled) {
    print_text("  {:>12}  {}\n", milliseconds(one.seconds.mean), row_of(one.value).text);
    int names_left = 3;
    for (const sim::trace::NameTime& name : answer.measured.names) {
      if (name.value != one.value || names_left-- <= 0) continue;
      print_text("  {:>12}    {}\n", milliseconds(name.seconds),
                 sim::printable_line(name.name, 100));
    }
  }
}

}  // namespace

void print(const std::string& format, const StepFitAnswer& answer) {
  if (format != "table") return print_records(format, json_of(answer), step_records(answer));
  print_text("{} fitted to {} step{} ({})\n\n", answer.steps.front().job.cluster().name,
             answer.steps.size(), answer.steps.size() == 1 ? "" : "s",
             sim::printable_path(answer.file));
  print(answer.diagnosis);
  const std::size_t width = output_width();
  print_styled(to_text(constants_table(answer.fit, kKeptTexts), width));
  print_text("\n");
  print_styled(to_text(step_errors_table(errors_in(answer)), width));
  print_text("\n");
  print_styled(to_text(steps_table(answer), width));
  print_outliers(answer);
  print_rest(answer.fit);
  print_carry(answer);
}

void print(const std::string& format, const TraceFitAnswer& answer) {
  if (format != "table") return print_records(format, json_of(answer), group_records(answer));
  print_text("{} profiled step{} on {} GPU{}{}\n\n", answer.measured.steps,
             answer.measured.steps == 1 ? "" : "s", answer.measured.gpus,
             answer.measured.gpus == 1 ? "" : "s",
             answer.measured.device.empty() ? "" : fmt::format(" ({})", answer.measured.device));
  const std::size_t width = output_width();
  print_styled(to_text(constants_table(answer.fit.fit, kKeptTexts), width));
  print_text("\n");
  print_styled(to_text(groups_table(answer), width));
  print_unmodelled(answer);
  if (!answer.measured.device.empty() && answer.measured.device != answer.gpu) {
    print_text("\nThe trace is of a {}, the cluster's GPU a {}.\n", answer.measured.device,
               answer.gpu);
  }
  print_text(
      "\nThe constants are those of one job on {} GPU{}. Other jobs and numbers of GPUs are "
      "extrapolated:\nexpect the error of the step above, or more, and what the trace does not "
      "show "
      "(networks that it did not cross).\n",
      answer.measured.gpus, answer.measured.gpus == 1 ? "" : "s");
}

}  // namespace apps
