// The part of the Python module that is not Python: a dict becomes the arguments of run, which a
// process of its own runs, with the interpreter's lock released; its JSON becomes a dict.
#include <pybind11/pybind11.h>
#include <sys/wait.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstring>
#include <sstream>
#include <stdexcept>
#include <system_error>

#include "apps/python/worker.hpp"
#include "apps/sweep/inputs.hpp"

namespace py = pybind11;

namespace python {
namespace {

constexpr int kWrongInput = 2;

// What the program says is wrong with its input.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

std::string trimmed(std::string text) {
  text.erase(text.find_last_not_of(" \n") + 1);
  return text;
}

apps::Inputs number_of(const std::string& key, double number) {
  if (!std::isfinite(number)) throw InputError("--" + key + ": is not finite; write a number");
  return number;
}

// Some flags of run say on|off; the others that are true or false are there or not.
apps::Inputs switch_of(const std::string& key, bool is_on) {
  if (key == "reshard" || key == "sequence-parallel") return is_on ? "on" : "off";
  return is_on;
}

// Paths, and NumPy's numbers, are what they say they are.
apps::Inputs input_of(const std::string& key, py::handle value) {
  if (py::isinstance<py::bool_>(value)) return switch_of(key, value.cast<bool>());
  if (py::isinstance<py::str>(value)) return value.cast<std::string>();
  if (py::isinstance<py::float_>(value)) return number_of(key, value.cast<double>());
  if (py::hasattr(value, "__index__")) return py::int_(value.attr("__index__")()).cast<long long>();
  if (py::hasattr(value, "__float__"))
    return number_of(key, value.attr("__float__")().cast<double>());
  if (py::hasattr(value, "__fspath__")) return value.attr("__fspath__")().cast<std::string>();
  throw py::type_error(key + ": holds a " +
                       std::string(py::str(py::type::of(value).attr("__name__"))) +
                       "; write a text, a number, True or False");
}

// Several schemes, as --scheme takes them.
std::string joined(const py::sequence& names) {
  std::string text;
  for (const py::handle name : names) {
    text += (text.empty() ? "" : ",") + py::str(name).cast<std::string>();
  }
  return text;
}

bool is_list(py::handle value) {
  return py::isinstance<py::list>(value) || py::isinstance<py::tuple>(value);
}

// As run spells it: micro_batch, a name that Python likes, is micro-batch.
std::string key_of(py::handle name) {
  if (!py::isinstance<py::str>(name)) throw py::type_error("a key is no str");
  auto key = name.cast<std::string>();
  if (key.find('.') == std::string::npos) std::ranges::replace(key, '_', '-');
  if (key == "format") throw InputError("--format: run() returns JSON, as a dict; leave it out");
  return key;
}

apps::Inputs inputs_of(const py::dict& given) {
  apps::Inputs inputs = apps::Inputs::object();
  // Flags without a value: the last, or one that needs a value would take the next flag for it.
  apps::Inputs bare = apps::Inputs::object();
  for (const auto& [name, value] : given) {
    const std::string key = key_of(name);
    if (inputs.contains(key) || bare.contains(key)) throw InputError("--" + key + ": given twice");
    if (key == "scheme" && is_list(value)) {
      inputs[key] = joined(py::reinterpret_borrow<py::sequence>(value));
    } else {
      const apps::Inputs input = input_of(key, value);
      (input == true ? bare : inputs)[key] = input;
    }
  }
  inputs.update(bare);
  return inputs;
}

// Ctrl-C, and what else the interpreter wants to do in this thread.
void check_signals() {
  const py::gil_scoped_acquire locked;
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
}

void warn(const std::string& said) {
  std::istringstream lines(said);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("warning: ")) continue;
    if (PyErr_WarnEx(PyExc_UserWarning, line.substr(9).c_str(), 2) != 0) {
      throw py::error_already_set();
    }
  }
}

[[noreturn]] void fail(const Ended& ended) {
  const std::string said = trimmed(ended.err);
  if (WIFEXITED(ended.status) && WEXITSTATUS(ended.status) == kWrongInput) throw InputError(said);
  if (WIFSIGNALED(ended.status) && WTERMSIG(ended.status) == SIGINT) {
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    throw py::error_already_set();
  }
  throw std::runtime_error(
      (WIFSIGNALED(ended.status)
           ? std::string("gardenhose: ended by ") + strsignal(WTERMSIG(ended.status))
           : "gardenhose: exit code " + std::to_string(WEXITSTATUS(ended.status))) +
      (said.empty() ? "" : ": ") + said);
}

// A list where `scheme` is one; else the last, before which run may show its baseline.
py::object reports_in(const std::string& text, bool as_list) {
  py::object json = py::module_::import("json").attr("loads")(text);
  const bool is_several = py::isinstance<py::list>(json);
  if (as_list == is_several) return json;
  if (is_several) return json[py::int_(-1)];
  py::list list;
  list.append(json);
  return list;
}

py::object run(const std::string& program, const py::dict& given) {
  apps::Arguments arguments = apps::arguments_of(inputs_of(given));
  arguments.insert(arguments.begin() + 1, "--format=json");  // after "run"
  Ended ended;
  try {
    const py::gil_scoped_release unlocked;
    ended = run_program(program, arguments, check_signals);
  } catch (const std::system_error& error) {
    errno = error.code().value();
    PyErr_SetFromErrnoWithFilename(PyExc_OSError, program.c_str());
    throw py::error_already_set();
  }
  check_signals();
  if (!WIFEXITED(ended.status) || WEXITSTATUS(ended.status) != 0) fail(ended);
  warn(ended.err);
  return reports_in(ended.out, given.contains("scheme") && is_list(given["scheme"]));
}

}  // namespace
}  // namespace python

PYBIND11_MODULE(_gardenhose, module) {
  py::register_exception<python::InputError>(module, "InputError", PyExc_ValueError).doc() =
      "Something that was given is wrong: where it is, and what to do.";
  module.def("run", python::run, py::arg("program"), py::arg("inputs"));
}
