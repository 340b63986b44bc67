// list: what ships, with one line each.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "apps/arguments.hpp"
#include "apps/data_files.hpp"
#include "apps/job/round_job.hpp"
#include "apps/print.hpp"
#include "codecs/codec.hpp"
#include "codecs/error/all_reduces.hpp"
#include "sim/base/error.hpp"
#include "sim/base/json_reader.hpp"
#include "sim/base/names.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/cluster/cluster.hpp"
#include "sim/rounds/outer_scheme.hpp"
#include "sim/schemes/scheme_file.hpp"
#include "sim/workload/calibration.hpp"
#include "sim/workload/model.hpp"

namespace apps {
namespace {

namespace po = boost::program_options;

void line(std::string_view name, std::string_view text) { print_text("  {:<28} {}\n", name, text); }

void list_schemes() {
  print_text(
      "schemes inside a cluster or a site (run --scheme, --inner-scheme), and the stages of ZeRO\n"
      "that they are defined for (--zero; 0 shards nothing)\n");
  for (const sim::Scheme* scheme : sim::all_schemes()) {
    line(scheme->name,
         fmt::format("{:<8} {}", fmt::format("{}", fmt::join(scheme->zero, ",")), scheme->summary));
  }
  print_text("\nschemes between sites (run --scheme, where the topology is several sites)\n");
  for (const sim::OuterScheme* scheme : sim::all_outer_schemes()) {
    line(scheme->name, scheme->summary);
  }
}

std::string figure(const sim::JsonReader& row, const char* column, const char* name) {
  return fmt::format("{:.3g}", row.at(column).at(name).not_negative());
}

void list_all_reduces(const sim::JsonReader& table) {
  print_text(
      "\nall_reduces with a state, of {} ranks: bits per element that a rank encodes, relative L2\n"
      "error of the first step, of the sum of {} steps, and of that where the gradients' common\n"
      "part is a matrix of rank 4\n",
      table.at("provenance").at("all_reduce_ranks").whole(),
      table.at("provenance").at("feedback_steps").whole());
  for (const codecs::AllReduce& method : codecs::all_reduces()) {
    const std::string name(method.name);
    std::string bits = "?", errors = "not measured";
    if (table.at("all_reduces").has(name)) {
      const sim::JsonReader row = table.at("all_reduces").at(name);
      bits = fmt::format("{:.3f}", row.at("normal").at("bits_per_element").positive());
      errors =
          fmt::format("{:>8} {:>8} {:>8}", figure(row, "normal", "first_step"),
                      figure(row, "normal", "running_sum"), figure(row, "low_rank", "running_sum"));
    }
    print_text("  {:<23} {:>6}  {:>26}  {}\n", name, bits, errors, method.summary);
  }
}

void list_codecs() {
  const auto document = sim::read_json(codec_error_file());
  const sim::JsonReader table(document);
  const sim::JsonReader errors = table.at("codecs");
  print_text(
      "codecs: bits per element, relative L2 error of one encode of normal values and of\n"
      "Student's t with 3 degrees of freedom (traces/calibration/codec_error.json)\n");
  for (const codecs::Codec* codec : codecs::all_codecs()) {
    const std::string name(codec->name);
    const auto error = [&](const char* distribution) {
      if (!errors.has(name)) return std::string("not measured");
      return figure(errors.at(name), distribution, "relative_l2");
    };
    print_text("  {:<23} {:6.3f}  {:>8} {:>8}  {}\n", name,
               8 * codecs::encoded_bytes_per_element(codec->format), error("normal"),
               error("student_t3"), codec->summary);
  }
  list_all_reduces(table);
}

void list_topologies() {
  print_text("topologies (run --topology)\n");
  for (const auto& file : shipped_files(Kind::topology)) {
    line(file.stem().string(), sim::read_cluster(file).summary);
  }
}

void list_sites() {
  print_text("sites, several that train together (run --topology)\n");
  for (const auto& file : shipped_files(Kind::wide_area)) {
    const sim::WideArea area = read_wide_area(file.string(), {});
    line(area.name, area.summary);
  }
}

void list_models() {
  print_text("models (run --model)\n");
  for (const auto& file : shipped_files(Kind::model)) {
    line(file.stem().string(), sim::read_model(file).summary);
  }
}

// "a paper, table 5" of "a paper, table 5: what it has. How it was read": a table's source in short.
std::string_view in_short(std::string_view source) {
  return source.substr(0, std::min(source.find(": "), source.find(". ")));
}

void list_calibrations() {
  print_text("calibrations (run --calibration)\n");
  for (const auto& file : shipped_files(Kind::calibration)) {
    const sim::Calibration table = sim::read_calibration(file);
    line(table.name, fmt::format("{} on {}: {}", table.kind, table.gpu, in_short(table.source)));
  }
  line("roofline", "no table: bytes that a kernel moves over the memory's bandwidth");
}

struct Section {
  std::string_view name;
  void (*print)();
};
constexpr Section kSections[] = {
    {"schemes", list_schemes}, {"codecs", list_codecs}, {"topologies", list_topologies},
    {"sites", list_sites},     {"models", list_models}, {"calibrations", list_calibrations}};

constexpr const char* kUsage =
    "usage: gardenhose list [SECTION...]\n"
    "       gardenhose list scheme NAME     the shipped scheme as a file, to change and to run\n\n"
    "  gardenhose list scheme sdp4bit > mine.toml\n"
    "  gardenhose run --topology sdp4bit_a100 --model gpt_2.7b --scheme mine.toml\n";

void print_scheme(const std::vector<std::string>& wanted) {
  if (wanted.size() != 2) {
    throw sim::InputError("list: scheme takes one name; see gardenhose list schemes");
  }
  print_text("{}", sim::to_toml(sim::scheme_named(wanted[1], "list scheme")));
}

}  // namespace

int list_command(const Arguments& arguments) {
  std::vector<std::string> wanted;
  std::vector<std::string_view> known;
  for (const Section& section : kSections) known.push_back(section.name);
  const std::string names = sim::joined(known);
  const std::string help = names + " (default: all)";
  po::options_description flags;
  flags.add_options()("section", po::value(&wanted), help.c_str());
  po::positional_options_description places;
  places.add("section", -1);
  po::variables_map values;
  if (!parse_arguments(arguments, kUsage, flags, places, values)) {
    return 0;
  }
  if (!wanted.empty() && wanted.front() == "scheme") {
    print_scheme(wanted);
    return 0;
  }
  for (const std::string& name : wanted) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    throw sim::InputError(
        fmt::format("list: '{}' is none of the known: {}", sim::printable(name), names));
  }
  const char* separator = "";
  for (const Section& section : kSections) {
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), section.name) == wanted.end()) {
      continue;
    }
    print_text("{}", separator);
    section.print();
    separator = "\n";
  }
  return 0;
}

}  // namespace apps
