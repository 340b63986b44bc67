// SPDX-License-Identifier: Apache-2.0
// The kinds of failure that this library distinguishes. The program ends with the exit code of theirs
// (apps/exit_code.cpp); a reader catches an InputError only to add its place.
#pragma once

#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>

namespace sim {

// Wrong user input. what() is one or more lines, each "place: what; remedy", where the place is
// file:line:column, a file, or a field of the job in backticks: "`tp`: 3 does not divide ...", or
// for a setting "`set` KEY". Remedies name fields in the same way. Exit code 2.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The system lacks memory, processes or such: with the same input it may go well later. Exit code 2.
struct LacksResources : InputError {
  using InputError::InputError;
};

// A hostile file can have a hundred thousand unknown keys; nobody reads more lines than this.
inline constexpr std::size_t kMostProblems = 100;
// Throws an InputError with one line per problem unless `lines` is empty. Beyond kMostProblems it
// only says that there are more.
void throw_problems(const std::string& file, std::span<const std::string> lines);

// For our own bugs, never for user input: throws std::logic_error unless `condition` holds. `why`
// says why it must hold. Exit code 70. (Builtins, because clang 14, used for fuzzing and linting,
// has no std::source_location.)
inline void require(bool condition, const char* why, const char* file = __builtin_FILE(),
                    int line = __builtin_LINE()) {
  if (!condition)
    throw std::logic_error(std::string(file) + ":" + std::to_string(line) + ": " + why);
}

}  // namespace sim
