#include "apps/arguments.hpp"

#include <fmt/format.h>

#include <sstream>

namespace apps {

namespace po = boost::program_options;

bool parse_arguments(const Arguments& arguments, const char* usage, po::options_description& flags,
                     const po::positional_options_description& places, po::variables_map& values) {
  flags.add_options()("help", "this text");
  // A prefix of a flag is an error: a later flag could make it mean another.
  const int style = po::command_line_style::default_style & ~po::command_line_style::allow_guessing;
  po::store(po::command_line_parser(arguments).options(flags).positional(places).style(style).run(),
            values);
  if (values.count("help") != 0) {
    std::ostringstream text;
    text << flags;
    fmt::print("{}\n{}", usage, text.str());
    return false;
  }
  po::notify(values);
  return true;
}

}  // namespace apps
