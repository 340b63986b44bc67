// SPDX-License-Identifier: Apache-2.0
#include "apps/exit_code.hpp"

#include <fmt/format.h>

#include <boost/program_options.hpp>
#include <exception>
#include <new>
#include <string>

#include "apps/arguments.hpp"
#include "apps/print.hpp"
#include "apps/streams.hpp"
#include "apps/sweep/workers.hpp"
#include "apps/words.hpp"
#include "sim/base/error.hpp"

namespace apps {
namespace {

int told(int code, const std::string& what) {
  print_note("{}\n", what);
  return code;
}

}  // namespace

int exit_code_of(std::string_view name, const std::function<int()>& command) {
  try {
    const int code = command();
    finish_output();
    return code;
  } catch (const sim::InputError& error) {
    return told(kWrongInput, with_flags(error.what()));
  } catch (const boost::program_options::error& error) {
    return told(kWrongInput, message_of(error, std::string(name)));
  } catch (const Stopped& stopped) {
    return 128 + stopped.signal;
  } catch (const std::bad_alloc&) {
    return told(kWrongInput,
                "gardenhose: out of memory; close other programs, or simulate fewer GPUs, layers "
                "or micro-batches");
  } catch (const std::exception& error) {
    return told(kBug,
                fmt::format("gardenhose: internal error, please report it: {}", error.what()));
  }
}

}  // namespace apps
