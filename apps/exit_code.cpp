// SPDX-License-Identifier: Apache-2.0
#include "apps/exit_code.hpp"

#include <fmt/format.h>

#include <boost/program_options.hpp>
#include <exception>
#include <filesystem>
#include <new>
#include <stdexcept>
#include <string>

#include "apps/arguments.hpp"
#include "apps/print.hpp"
#include "apps/streams.hpp"
#include "apps/words.hpp"
#include "sim/base/error.hpp"
#include "sim/base/printable.hpp"
#include "sim/study/sweep/signals.hpp"

namespace apps {
namespace {

// A folder or file that has gone, or may not be entered. A path that is not named is that of the
// working directory.
std::string message_of(const std::filesystem::filesystem_error& error) {
  const std::filesystem::path& path = error.path1();
  if (!path.empty()) {
    return fmt::format("{}: cannot be used: {}", sim::printable_path(path), error.code().message());
  }
  return fmt::format(
      "gardenhose: the working directory cannot be found: {}; change to a folder that exists",
      error.code().message());
}

}  // namespace

void told(std::string_view name, const std::function<void()>& part) {
  try {
    part();
  } catch (const sim::LacksResources& error) {
    throw sim::LacksResources(with_flags(error.what()));
  } catch (const sim::InputError& error) {
    throw sim::InputError(with_flags(error.what()));
  } catch (const boost::program_options::error& error) {
    throw sim::InputError(message_of(error, name));
  } catch (const std::bad_alloc&) {
    throw sim::LacksResources(
        "gardenhose: out of memory; close other programs, or simulate fewer GPUs, layers or "
        "micro-batches");
  } catch (const std::filesystem::filesystem_error& error) {
    throw sim::InputError(message_of(error));
  } catch (const std::exception& error) {
    throw std::runtime_error(
        fmt::format("gardenhose: internal error, please report it: {}", error.what()));
  }
}

int exit_code_of(std::string_view name, const std::function<int()>& command) {
  try {
    int code = 0;
    told(name, [&] {
      code = command();
      finish_output();
    });
    return code;
  } catch (const sim::InputError& error) {
    print_note("{}\n", error.what());
    return kWrongInput;
  } catch (const sim::sweep::Stopped& stopped) {
    return 128 + stopped.signal;
  } catch (const std::exception& error) {
    print_note("{}\n", error.what());
    return kBug;
  }
}

}  // namespace apps
