// SPDX-License-Identifier: Apache-2.0
#include "apps/calibrate/settings.hpp"

#include <algorithm>
#include <boost/program_options.hpp>
#include <sstream>

#include "apps/streams.hpp"
#include "codecs/codec.hpp"
#include "sim/base/error.hpp"

namespace calibrate {
namespace {

namespace options = boost::program_options;

// A piece of most formats: sizes are multiples.
constexpr std::size_t kLeastSize = std::size_t{16} << 10;

constexpr const char* kUsage =
    "usage: gardenhose-calibrate [flags]\n"
    "Measures the GPU and the codecs' kernels on it, and checks every output.\n\n";
constexpr const char* kExamples =
    "\n"
    "examples:\n"
    "  gardenhose-calibrate --minutes 4 --commit \"$(git rev-parse HEAD)\"\n"
    "  gardenhose-calibrate --device cpu --threads 2 --output epyc.json\n"
    "  gardenhose-calibrate --summary traces/calibration/nvidia_h200.json\n\n"
    "exit codes: 0 measured; 2 invalid flag or file, nothing measured; 3 no GPU, GPU failure, or\n"
    "incorrect outputs, which are left out of the table; 70 internal error\n";

struct Texts {
  std::string device, min, max;
  bool help = false;
};

std::size_t read_size(const std::string& flag, const std::string& text) {
  std::size_t end = 0;
  double number = 0;
  try {
    number = std::stod(text, &end);
  } catch (const std::exception&) {
    end = 0;
  }
  const std::string unit = text.substr(std::min(text.size(), text.find_first_not_of(' ', end)));
  for (const auto& [name, factor] : {std::pair{"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}}) {
    const double bytes = number * factor;
    if (end > 0 && unit == name && bytes >= kLeastSize && bytes <= 0x1p40) {
      return static_cast<std::size_t>(bytes) / kLeastSize * kLeastSize;
    }
  }
  throw sim::InputError(flag + ": '" + text +
                        "' is not a size of at least 16 KiB; write e.g. \"16 MiB\"");
}

options::options_description described(Settings& settings, Texts& texts) {
  options::options_description flags("flags");
  auto add = flags.add_options();
  add("device", options::value(&texts.device)->default_value("gpu"),
      "gpu, or cpu to time the vector code for CPUs, for codecs that hosts run between sites");
  add("output", options::value(&settings.output),
      "file for the table; default: traces/calibration/GPU.json; with --device cpu, standard "
      "output");
  add("min-size", options::value(&texts.min)->default_value("1 MiB"), "smallest float32 input");
  add("max-size", options::value(&texts.max),
      "largest float32 input, memory permitting; default: 4 GiB, with --device cpu 64 MiB");
  add("quick", options::bool_switch(&settings.quick),
      "trial run: few launches per kernel, few product sizes");
  add("minutes", options::value(&settings.minutes)->default_value(settings.minutes),
      "time limit; slow kernels get fewer launches");
  add("threads", options::value(&settings.threads)->default_value(settings.threads),
      "with --device cpu, threads of each kernel");
  add("codecs", options::value(&settings.codecs)->multitoken(),
      "with --device cpu, codecs to measure; default: those with vector code. Others run their "
      "references, in one thread");
  add("hidden", options::value(&settings.hidden)->multitoken(),
      "hidden sizes of the layers whose matrix products are measured");
  add("cublas", options::value(&settings.cublas),
      "path of libcublas.so, if the system does not find it");
  add("cublas-lt", options::value(&settings.cublas_lt),
      "path of libcublasLt.so, if the system does not find it");
  add("commit", options::value(&settings.commit)->default_value("unknown"),
      "commit from which this program was built, for the table's provenance");
  add("summary", options::value(&settings.summary),
      "print floor, time and ratio of each row of this table instead of measuring");
  add("help", options::bool_switch(&texts.help), "print this help");
  return flags;
}

void take_texts(const Texts& texts, Settings& settings) {
  if (texts.device != "gpu" && texts.device != "cpu") {
    throw sim::InputError("--device: '" + texts.device + "' is not one of: gpu, cpu");
  }
  settings.target = texts.device == "gpu" ? Target::gpu : Target::cpu;
  const char* const most = settings.target == Target::gpu ? "4 GiB" : "64 MiB";
  settings.sizes = {.min_bytes = read_size("--min-size", texts.min),
                    .max_bytes = read_size("--max-size", texts.max.empty() ? most : texts.max)};
  if (settings.sizes.min_bytes > settings.sizes.max_bytes) {
    throw sim::InputError("--min-size: is larger than --max-size");
  }
  if (!(settings.minutes > 0 && settings.minutes <= 1440)) {
    throw sim::InputError("--minutes: is not above 0 and at most 1440");
  }
  if (settings.threads < 1 || settings.threads > 1024) {
    throw sim::InputError("--threads: is not from 1 to 1024");
  }
  for (const auto& [flag, file] :
       {std::pair{"--cublas", settings.cublas}, {"--cublas-lt", settings.cublas_lt}}) {
    if (!file.empty() && !std::filesystem::is_regular_file(file)) {
      throw sim::InputError(std::string(flag) + ": " + file + ": is not a file");
    }
  }
  for (const std::string& name : settings.codecs) {
    if (std::ranges::find(codecs::all_codecs(), name, &codecs::Codec::name) ==
        codecs::all_codecs().end()) {
      throw sim::InputError("--codecs: '" + name + "' is unknown; see gardenhose list codecs");
    }
  }
  for (const int hidden : settings.hidden) {
    if (hidden < 128 || hidden > 65536 || hidden % 128 != 0) {
      throw sim::InputError("--hidden: " + std::to_string(hidden) +
                            " is not a multiple of 128 up to 65536");
    }
  }
}

}  // namespace

std::optional<Settings> read_settings(int count, const char* const* arguments) {
  Settings settings;
  Texts texts;
  const options::options_description flags = described(settings, texts);
  options::variables_map values;
  try {
    const options::positional_options_description none;
    options::store(
        options::command_line_parser(count, arguments).options(flags).positional(none).run(),
        values);
    options::notify(values);
  } catch (const options::error& error) {
    throw sim::InputError(error.what());
  }
  if (texts.help) {
    std::ostringstream text;
    text << kUsage << flags << kExamples;
    apps::write_output(text.str());
    return std::nullopt;
  }
  take_texts(texts, settings);
  for (int i = 0; i < count; ++i) {
    if (i > 0) settings.command += ' ';
    settings.command += arguments[i];
  }
  return settings;
}

}  // namespace calibrate
