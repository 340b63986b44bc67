// SPDX-License-Identifier: Apache-2.0
#include "apps/job/scheme_files.hpp"

#include "apps/data_files.hpp"
#include "sim/schemes/scheme_file.hpp"

namespace apps {

sim::Scheme scheme_of(const std::string& name, const char* flag) {
  return is_path(name, ".toml") ? sim::read_scheme(name) : sim::scheme_named(name, flag);
}

sim::Scheme twin_of(const sim::Scheme& scheme) {
  return scheme.compresses() ? sim::scheme_named(scheme.twin) : scheme;
}

}  // namespace apps
