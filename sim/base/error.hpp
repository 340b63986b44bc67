// The failures that this library tells apart. Nobody but apps/main.cpp catches them.
#pragma once

#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>

namespace sim {

// Something the user gave is wrong. what() is one or more lines, each "place: what; remedy", where
// the place is file:line:column, a flag, or a file. Exit code 2.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A hostile file can have a hundred thousand unknown keys; nobody reads on after so many lines.
inline constexpr std::size_t kMostProblems = 100;
// Throws an InputError of a line each, unless there is none; after kMostProblems it says that there
// are more.
void throw_problems(const std::string& file, std::span<const std::string> lines);

// A bug of ours, never a user's input: throws std::logic_error unless `condition` holds. `why` says
// why it must hold. Exit code 70. (Builtins, because clang 14, which fuzzes and lints this, has no
// std::source_location.)
inline void require(bool condition, const char* why, const char* file = __builtin_FILE(),
                    int line = __builtin_LINE()) {
  if (!condition)
    throw std::logic_error(std::string(file) + ":" + std::to_string(line) + ": " + why);
}

}  // namespace sim
