// SPDX-License-Identifier: Apache-2.0
#include "apps/exit_code.hpp"

#include <fmt/format.h>

#include <boost/program_options.hpp>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>

#include "apps/arguments.hpp"
#include "apps/print.hpp"
#include "apps/streams.hpp"
#include "apps/words.hpp"
#include "sim/base/error.hpp"
#include "sim/study/sweep/signals.hpp"

namespace apps {

void told(std::string_view name, const std::function<void()>& part) {
  try {
    part();
  } catch (const sim::InputError& error) {
    throw sim::InputError(with_flags(error.what()));
  } catch (const boost::program_options::error& error) {
    throw sim::InputError(message_of(error, name));
  } catch (const std::bad_alloc&) {
    throw sim::InputError(
        "gardenhose: out of memory; close other programs, or simulate fewer GPUs, layers or "
        "micro-batches");
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
