// SPDX-License-Identifier: Apache-2.0
// gardenhose-codec-error: writes the error of every codec to traces/calibration/codec_error.json.
// Runs on the CPU alone, on all of its cores.
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/codec_error/tensors.hpp"
#include "apps/print.hpp"
#include "apps/progress.hpp"
#include "codecs/error/table.hpp"
#include "sim/base/error.hpp"
#include "sim/base/file.hpp"

namespace {

constexpr const char* kUsage =
    "usage: gardenhose-codec-error [--tensors FOLDER] [FILE]\n\n"
    "Uses the CPU reference implementation of every codec to measure its error: on synthetic and\n"
    "recorded tensors, in the reductions of every scheme, on trained weights, and over many steps\n"
    "of error feedback, averaged over several seeds. Takes about five minutes on two cores.\n\n"
    "  FILE              JSON file to write (default: traces/calibration/codec_error.json)\n"
    "  --tensors FOLDER  recorded tensors, NAME.npy with NAME.json (default: traces/tensors)\n\n"
    "examples:\n"
    "  gardenhose-codec-error\n"
    "  gardenhose-codec-error --tensors my_gradients my_errors.json\n\n"
    "exit codes: 0 written, 2 invalid input or a file that cannot be written, 70 internal error\n";

struct Options {
  std::string tensors = "traces/tensors";
  std::string file = "traces/calibration/codec_error.json";
  bool help = false;
};

// Nothing where the arguments make no sense.
std::optional<Options> parse(std::span<char*> arguments) {
  Options options;
  bool named = false;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    if (argument == "--help" || argument == "-h") {
      options.help = true;
    } else if (argument == "--tensors" && i + 1 < arguments.size()) {
      options.tensors = arguments[++i];
    } else if (argument.starts_with("-") || argument.empty() || named) {
      return std::nullopt;
    } else {
      options.file = argument;
      named = true;
    }
  }
  return options;
}

void run(const Options& options) {
  sim::require_writable(options.file);
  // Only the folder that is looked into by default may be missing.
  const bool none =
      options.tensors == Options{}.tensors && !std::filesystem::exists(options.tensors);
  const std::vector<codecs::Tensor> recorded =
      none ? std::vector<codecs::Tensor>{} : apps::read_tensors(options.tensors);
  sim::refuse_overwriting("FILE", options.file, apps::files_of(options.tensors));
  std::optional<apps::Progress> progress;
  const auto show = [&progress](std::size_t, std::size_t cells) {
    if (!progress) progress.emplace("codec errors", static_cast<int>(cells));
    progress->step();
  };
  const nlohmann::ordered_json table = codecs::error_table({}, recorded, show);
  sim::write_file(options.file, codecs::to_text(table));
}

}  // namespace

int main(int count, char** arguments) {
  apps::hold_standard_descriptors();
  try {
    const auto options = parse({arguments + 1, static_cast<std::size_t>(count - 1)});
    if (!options || options->help) {
      if (!options) {
        apps::write_error(kUsage);
        return 2;
      }
      apps::write_output(kUsage);
    } else {
      run(*options);
    }
    apps::finish_output();
  } catch (const sim::InputError& error) {
    apps::print_note("{}\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    apps::print_note("gardenhose-codec-error: internal error, please report it: {}\n",
                     error.what());
    return 70;
  }
  return 0;
}
