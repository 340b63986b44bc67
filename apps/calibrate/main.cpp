// gardenhose-calibrate: measures the codecs' kernels and the GPU that it finds, and writes one
// table that the simulator reads. It links CUDA, so it never forks and is a program of its own.
#include <algorithm>
#include <boost/program_options.hpp>
#include <cctype>
#include <ctime>
#include <exception>
#include <filesystem>
#include <iostream>
#include <string>

#include "apps/calibrate/codec_rows.hpp"
#include "apps/calibrate/device.hpp"
#include "sim/base/error.hpp"
#include "sim/base/file.hpp"

namespace {

namespace options = boost::program_options;
using Json = nlohmann::ordered_json;

constexpr int kWrongInput = 2, kDeviceTrouble = 3;
constexpr int kLaunches = 33;

struct Settings {
  std::filesystem::path output;  // empty: named after the GPU
  calibrate::Sizes sizes;
  std::string cublas;
  std::string commit;
  std::string command;
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
    if (end > 0 && unit == name && bytes >= 65536 && bytes <= 0x1p40) {
      return static_cast<std::size_t>(bytes);
    }
  }
  throw sim::InputError(flag + ": '" + text + "' is no size from 64 KiB up; write e.g. \"16 MiB\"");
}

options::options_description described(Settings& settings, std::string& min, std::string& max) {
  options::options_description flags("flags");
  auto add = flags.add_options();
  add("output", options::value<std::filesystem::path>(&settings.output),
      "the table; default: traces/calibration/<gpu>.json");
  add("min-size", options::value(&min)->default_value("1 MiB"), "smallest float32 input");
  add("max-size", options::value(&max)->default_value("1 GiB"),
      "largest; the GPU needs four times as much memory");
  add("cublas", options::value(&settings.cublas), "libcublas.so, if the system does not find it");
  add("commit", options::value(&settings.commit)->default_value("unknown"),
      "what this program was built from, for the table's provenance");
  add("help", options::bool_switch(&settings.help), "this text");
  return flags;
}

Settings read_settings(int count, char** arguments) {
  Settings settings;
  std::string min, max;
  const options::options_description flags = described(settings, min, max);
  options::variables_map values;
  try {
    options::store(options::parse_command_line(count, arguments, flags), values);
    options::notify(values);
  } catch (const options::error& error) {
    throw sim::InputError(error.what());
  }
  if (settings.help) {
    std::cout << "usage: gardenhose-calibrate [flags]\n"
                 "Measures the GPU and the codecs' kernels on it, and checks every output.\n\n"
              << flags;
  }
  settings.sizes = {.min_bytes = read_size("--min-size", min),
                    .max_bytes = read_size("--max-size", max)};
  if (settings.sizes.min_bytes > settings.sizes.max_bytes) {
    throw sim::InputError("--min-size: larger than --max-size");
  }
  for (int i = 0; i < count; ++i) {
    if (i > 0) settings.command += ' ';
    settings.command += arguments[i];
  }
  return settings;
}

std::filesystem::path default_output(std::string gpu) {
  for (char& c : gpu) {
    c = std::isalnum(static_cast<unsigned char>(c)) != 0
            ? static_cast<char>(std::tolower(static_cast<unsigned char>(c)))
            : '_';
  }
  return std::filesystem::path("traces/calibration") / (gpu + ".json");
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  char text[16] = {};
  std::strftime(text, sizeof text, "%Y-%m-%d", std::gmtime(&now));
  return text;
}

Json measure(const Settings& settings, const calibrate::Device& device) {
  const codecs::cuda::Benchmark benchmark(kLaunches);
  Json table{{"gpu", device.name}, {"kind", "measured"}};
  table["provenance"] = {{"source", "gardenhose-calibrate: median and interquartile range of " +
                                        std::to_string(kLaunches) + " launches, L2 flushed"},
                         {"device", device.device},
                         {"driver", device.driver},
                         {"cuda", device.cuda},
                         {"commit", settings.commit},
                         {"command", settings.command},
                         {"date", today()}};
  table["memory_bandwidth_Bps"] = device.memory_bandwidth_Bps;
  table["copy_bandwidth_Bps"] = calibrate::copy_bandwidth_Bps(benchmark, settings.sizes.max_bytes);
  table["launch_latency_s"] = benchmark.launch_latency().median_s;
  std::cerr << "copy " << table["copy_bandwidth_Bps"].get<double>() / 1e9 << " GB/s, launch "
            << table["launch_latency_s"].get<double>() * 1e6 << " us\n";
  const Json gemm = calibrate::measure_gemm(benchmark, settings.cublas);
  if (gemm.is_null()) std::cerr << "no cuBLAS found: no gemm rows; --cublas FILE names it\n";
  table["gemm"] = gemm.is_null() ? Json::array() : gemm;
  const calibrate::CodecRows rows = calibrate::measure_codecs(benchmark, settings.sizes);
  table["codecs"] = rows.codecs;
  table["variants"] = rows.variants;
  return table;
}

void run(const Settings& settings) {
  if (settings.help) return;
  const calibrate::Device device = calibrate::read_device();
  const std::filesystem::path output =
      settings.output.empty() ? default_output(device.name) : settings.output;
  sim::write_file(output, measure(settings, device).dump(1) + "\n");
  std::cerr << output.string() << "\n";
}

}  // namespace

int main(int count, char** arguments) {
  try {
    run(read_settings(count, arguments));
    return 0;
  } catch (const sim::InputError& error) {
    std::cerr << error.what() << "\n";
    return kWrongInput;
  } catch (const codecs::cuda::CudaError& error) {
    std::cerr << error.what() << "\n";
    return kDeviceTrouble;
  }
}
