#include "apps/calibrate/summary.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>

#include "sim/base/error.hpp"

namespace calibrate {
namespace {

using codecs::Element;
using codecs::Format;
using codecs::Operation;
using codecs::Scale;

constexpr double kBar = 0.85, kSearchBar = 0.60;
constexpr double kLeastBytes = 64.0 * (1 << 20);

// Elements and scales of the codecs that are correct and plain.
bool is_plain(const Format& format) {
  constexpr std::array kElements{Element::fp16, Element::nf4, Element::dynamic8,
                                 Element::power_of_two};
  constexpr std::array kScales{Scale::norm, Scale::clipped, Scale::reciprocal,
                               Scale::root_mean_square};
  const bool fbgemm = format.scale == Scale::min_max && format.group == 32;
  return fbgemm || format.rotation == codecs::Rotation::dct ||
         format.choice == codecs::Choice::random ||
         std::ranges::find(kElements, format.element) != kElements.end() ||
         std::ranges::find(kScales, format.scale) != kScales.end();
}

std::string line_of(const Json& row, const char* verdict) {
  const std::string to = row.at("to").get<std::string>();
  const std::string codec = row.at("codec").get<std::string>() + (to.empty() ? "" : " > " + to);
  const std::string operation =
      row.at("operation").get<std::string>() + (row.at("value_bytes") == 2 ? " bf16" : "");
  const double moved = row.at("moved_bytes"), seconds = row.at("median_s");
  const double share = row.at("fraction");
  char text[256];
  std::snprintf(text, sizeof text, "%-46s %-24s %6d %9.1f %11.1f %11.1f %8.0f %7.1f %% %s\n",
                codec.c_str(), operation.c_str(), row.at("inputs").get<int>(),
                4 * row.at("elements").get<double>() * row.at("inputs").get<double>() / (1 << 20),
                seconds * 1e6, share * seconds * 1e6, moved / seconds / 1e9, 100 * share, verdict);
  return text;
}

void require_measured(const Json& table) {
  if (!table.is_object() || !table.contains("kind") || !table.contains("codecs")) {
    throw sim::InputError("is no table of kernels' times");
  }
  if (table["kind"] != "measured") {
    throw sim::InputError("is of the kind " + table["kind"].dump() +
                          ": a summary is of what was measured on a GPU");
  }
}

}  // namespace

std::optional<double> bar_of(const Format& format, Operation operation) {
  if (is_plain(format)) return std::nullopt;
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
  std::string lines = table.at("gpu").get<std::string>() + "\n" + text;
  int barred = 0, held = 0;
  for (const Json& row : table.at("codecs")) {
    const double bytes = 4 * row.at("elements").get<double>() * row.at("inputs").get<double>();
    if (bytes < least_bytes) continue;
    const codecs::Codec& codec = codecs::codec_named(row.at("codec").get<std::string>());
    const std::string operation = row.at("operation");
    std::optional<double> bar;
    for (int i = 0; i <= static_cast<int>(Operation::decode_reduce_encode); ++i) {
      const auto one = static_cast<Operation>(i);
      if (operation_name(one) == operation) bar = bar_of(codec.format, one);
    }
    const bool holds = bar && row.at("fraction").get<double>() >= *bar;
    barred += bar ? 1 : 0;
    held += holds ? 1 : 0;
    lines += line_of(row, !bar ? "-" : holds ? "holds" : "BELOW");
  }
  return lines + std::to_string(held) + " of " + std::to_string(barred) +
         " rows with a bar hold it (85 % of the floor; 60 % for top-k with error feedback)\n";
}

std::string summary_of_file(const std::filesystem::path& file) {
  if (!std::filesystem::is_regular_file(file)) {
    throw sim::InputError("--summary: " + file.string() + ": is no file");
  }
  std::ifstream stream(file);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  const Json table = Json::parse(text, nullptr, false);
  if (table.is_discarded()) throw sim::InputError("--summary: " + file.string() + ": is not JSON");
  try {
    return summary_of(table, kLeastBytes);
  } catch (const sim::InputError& error) {
    throw sim::InputError("--summary: " + file.string() + ": " + error.what());
  } catch (const Json::exception&) {
    throw sim::InputError("--summary: " + file.string() + ": a row lacks what every row has");
  } catch (const std::out_of_range& error) {
    throw sim::InputError("--summary: " + file.string() + ": " + error.what());
  }
}

}  // namespace calibrate
