// SPDX-License-Identifier: Apache-2.0
#include "apps/calibrate/summary.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <iterator>
#include <stdexcept>

#include "sim/base/error.hpp"
#include "sim/base/file.hpp"

namespace calibrate {
namespace {

using codecs::Element;
using codecs::Format;
using codecs::Operation;
using codecs::Scale;

constexpr double kBar = 0.85, kSearchBar = 0.60;
constexpr double kLeastBytes = 64.0 * (1 << 20);

template <Element kElement>
bool has_element(const Format& format) {
  return format.element == kElement;
}
template <Scale kScale>
bool has_scale(const Format& format) {
  return format.scale == kScale;
}

struct Line {
  std::string codec, operation;
  int inputs = 1;
  double bytes = 0;  // of float32, over all inputs
};

Line line_of_codec(const Json& row) {
  const std::string to = row.at("to").get<std::string>();
  const int inputs = row.at("inputs").get<int>();
  return {.codec = row.at("codec").get<std::string>() + (to.empty() ? "" : " > " + to),
          .operation =
              row.at("operation").get<std::string>() + (row.at("value_bytes") == 2 ? " bf16" : ""),
          .inputs = inputs,
          .bytes = 4 * row.at("elements").get<double>() * inputs};
}

Line line_of_method(const Json& row) {
  return {.codec = row.at("method").get<std::string>(),
          .operation = row.at("step").get<std::string>(),
          .inputs = row.value("ranks", 1),
          .bytes = 4 * row.at("elements").get<double>()};
}

double share_of(const Floor& floor, const Json& row) {
  return floor.seconds(row.at("moved_bytes")) / row.at("median_s").get<double>();
}

std::string text_of_line(const Line& line, const Json& row, double share, const char* verdict) {
  const double moved = row.at("moved_bytes"), seconds = row.at("median_s");
  char text[256];
  std::snprintf(text, sizeof text, "%-46s %-24s %6d %9.1f %11.1f %11.1f %8.0f %7.1f %% %s\n",
                line.codec.c_str(), line.operation.c_str(), line.inputs, line.bytes / (1 << 20),
                seconds * 1e6, share * seconds * 1e6, moved / seconds / 1e9, 100 * share, verdict);
  return text;
}

void each_size(const Json& kernels, const std::function<void(const Json&)>& visit) {
  for (const Json& kernel : kernels) {
    for (const Json& row : by_size(kernel)) visit(row);
  }
}

void require_measured(const Json& table) {
  if (!table.is_object() || !table.contains("kind") || !table.contains("codecs")) {
    throw sim::InputError("is not a table of kernel times");
  }
  if (table["kind"] != "measured") {
    throw sim::InputError("is of the kind " + table["kind"].dump() +
                          ": a summary needs measured times");
  }
}

Operation operation_of(const Json& row) {
  const std::string name = row.at("operation");
  if (const auto operation = codecs::operation_named(name)) return *operation;
  throw std::out_of_range("no kernel is called " + name);
}

}  // namespace

std::span<const PlainRule> plain_rules() {
  static constexpr std::array kRules{
      PlainRule{"float16", has_element<Element::fp16>},
      PlainRule{"NF4", has_element<Element::nf4>},
      PlainRule{"dynamic map of 8 bits", has_element<Element::dynamic8>},
      PlainRule{"powers of two", has_element<Element::power_of_two>},
      PlainRule{"scales of the norm", has_scale<Scale::norm>},
      PlainRule{"clipped values", has_scale<Scale::clipped>},
      PlainRule{"reciprocal scales", has_scale<Scale::reciprocal>},
      PlainRule{"root mean squares", has_scale<Scale::root_mean_square>},
      PlainRule{"minimum and maximum of groups of 32",
                [](const Format& format) {
                  return format.scale == Scale::min_max && format.group == 32;
                }},
      PlainRule{"DeMo's transform",
                [](const Format& format) { return format.rotation == codecs::Rotation::dct; }},
      PlainRule{"values chosen at random",
                [](const Format& format) { return format.choice == codecs::Choice::random; }}};
  return kRules;
}

std::optional<double> bar_of(const Format& format, Operation operation) {
  const auto holds = [&](const PlainRule& rule) { return rule.holds(format); };
  if (std::ranges::any_of(plain_rules(), holds)) return std::nullopt;
  const bool encodes = operation == Operation::encode ||
                       operation == Operation::encode_difference ||
                       operation == Operation::encode_feedback;
  if (format.keep == 0 || !encodes) return kBar;
  if (operation == Operation::encode_feedback) return kSearchBar;
  return std::nullopt;
}

std::string summary_of(const Json& table, double least_bytes) {
  require_measured(table);
  char text[256];
  std::snprintf(text, sizeof text, "%-46s %-24s %6s %9s %11s %11s %8s %9s %s\n", "codec",
                "operation", "inputs", "MiB", "time, us", "floor, us", "GB/s", "of floor", "bar");
  // Of kernels of CPUs all sizes are listed, and none has a bar.
  const bool on_gpu = table.contains("gpu");
  if (!on_gpu) least_bytes = 0;
  std::string lines = table.at(on_gpu ? "gpu" : "cpu").get<std::string>() + "\n" + text;
  int barred = 0, held = 0;
  const Floor floor(table.at("copy"));
  each_size(table.at("codecs"), [&](const Json& row) {
    const Line line = line_of_codec(row);
    if (line.bytes < least_bytes) return;
    const codecs::Codec& codec = codecs::codec_named(row.at("codec").get<std::string>());
    const std::optional<double> bar =
        on_gpu ? bar_of(codec.format, operation_of(row)) : std::nullopt;
    const double share = share_of(floor, row);
    const bool holds = bar && share >= *bar;
    barred += bar ? 1 : 0;
    held += holds ? 1 : 0;
    lines += text_of_line(line, row, share, !bar ? "-" : holds ? "holds" : "BELOW");
  });
  each_size(table.value("methods", Json::array()), [&](const Json& row) {
    const Line line = line_of_method(row);
    if (line.bytes >= least_bytes) lines += text_of_line(line, row, share_of(floor, row), "-");
  });
  if (!on_gpu) return lines;
  return lines + std::to_string(held) + " of " + std::to_string(barred) +
         " rows with a bar hold it (85 % of the floor; 60 % for top-k with error feedback)\n";
}

std::string summary_of_file(const std::filesystem::path& file) {
  const Json table = Json::parse(sim::read_input(file, sim::kMostDataBytes), nullptr, false);
  if (table.is_discarded()) throw sim::InputError("--summary: " + file.string() + ": is not JSON");
  try {
    return summary_of(table, kLeastBytes);
  } catch (const sim::InputError& error) {
    throw sim::InputError("--summary: " + file.string() + ": " + error.what());
  } catch (const Json::exception&) {
    throw sim::InputError("--summary: " + file.string() + ": a row lacks a required field");
  } catch (const std::out_of_range& error) {
    throw sim::InputError("--summary: " + file.string() + ": " + error.what());
  }
}

}  // namespace calibrate
