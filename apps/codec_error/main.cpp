// SPDX-License-Identifier: Apache-2.0
// gardenhose-codec-error: writes the error of every codec, or of one, to
// traces/calibration/codec_error.json. Runs on the CPU alone, on all of its cores.
#include <exception>
#include <nlohmann/json.hpp>
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
#include "sim/base/json_reader.hpp"
#include "sim/base/names.hpp"

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kUsage =
    "usage: gardenhose-codec-error [--codec NAME] [--tensors FOLDER] [FILE]\n\n"
    "Uses the CPU reference implementation of every codec to measure its error: on synthetic and\n"
    "recorded tensors, in the reductions of every scheme, on trained weights, and over many steps\n"
    "of error feedback, averaged over several seeds. Takes about five minutes on two cores.\n\n"
    "  FILE              JSON file to write (default: traces/calibration/codec_error.json)\n"
    "  --codec NAME      measure one codec alone and replace its rows in FILE: seconds\n"
    "  --tensors FOLDER  recorded tensors, NAME.npy with NAME.json (default: traces/tensors)\n\n"
    "examples:\n"
    "  gardenhose-codec-error\n"
    "  gardenhose-codec-error --codec int4_g128\n"
    "  gardenhose-codec-error --tensors my_gradients my_errors.json\n\n"
    "exit codes: 0 written, 2 invalid input or a file that cannot be written, 70 internal error\n";

struct Options {
  std::string tensors = "traces/tensors";
  std::optional<std::string> codec = {};
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
    } else if (argument == "--codec" && i + 1 < arguments.size()) {
      options.codec = arguments[++i];
    } else if (argument.starts_with("-") || argument.empty() || named) {
      return std::nullopt;
    } else {
      options.file = argument;
      named = true;
    }
  }
  return options;
}

// The rows of other codecs, measured in the same way.
Json read_table(const std::string& file, std::span<const codecs::Tensor> recorded) {
  const std::string text = sim::read_to_replace(file, sim::kMostDataBytes);
  const sim::JsonDocument document = sim::parse_json(text, file);
  const sim::JsonReader provenance = sim::JsonReader(document).at("provenance");
  Json table = Json::parse(text);  // in the file's order
  if (table["provenance"] != codecs::error_provenance({}, recorded)) {
    provenance.fail("other sample sizes or recorded tensors; leave out --codec to measure all");
  }
  return table;
}

std::vector<codecs::Tensor> recorded_tensors(const Options& options) {
  // Only the folder that is looked into by default may be missing.
  if (options.tensors == Options{}.tensors && !std::filesystem::exists(options.tensors)) return {};
  return apps::read_tensors(options.tensors);
}

void run(const Options& options) {
  const codecs::Codec* const only =
      options.codec ? &sim::row_named("--codec", *options.codec, codecs::all_codecs()) : nullptr;
  sim::require_writable("FILE", options.file);
  const std::vector<codecs::Tensor> recorded = recorded_tensors(options);
  const Json table = only == nullptr ? Json() : read_table(options.file, recorded);
  std::optional<apps::Progress> progress;
  const auto show = [&progress](std::size_t, std::size_t cells) {
    if (!progress) progress.emplace("codec errors", static_cast<int>(cells));
    progress->step();
  };
  const Json measured = codecs::error_table({}, recorded, show, only);
  sim::write_file(
      "FILE", options.file,
      codecs::to_text(only == nullptr ? measured : codecs::with_rows_of(*only, table, measured)));
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
