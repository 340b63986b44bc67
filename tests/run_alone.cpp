// SPDX-License-Identifier: Apache-2.0
// `gardenhose run` without the other commands, for page_rounds_test.py.
#include "apps/commands.hpp"
#include "apps/exit_code.hpp"

int main(int count, char** words) {
  const apps::Arguments arguments(words + 1, words + count);
  return apps::exit_code_of("run", [&] { return apps::run_command(arguments); });
}
