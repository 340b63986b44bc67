// A program in a process of its own, for a caller that must not fork itself: an interpreter with
// threads.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace python {

struct Ended {
  int status = 0;  // as of waitpid()
  std::string out, err;
};

// Starts the program with these arguments, nothing to read, and waits for its end. `beat` is called
// every 50 ms; what it throws ends the program first. Throws std::system_error where the program
// cannot be started.
[[nodiscard]] Ended run_program(const std::string& program, std::vector<std::string> arguments,
                                const std::function<void()>& beat);

}  // namespace python
