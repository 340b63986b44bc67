#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/schemes/scheme.hpp"

namespace sim {

// One file each.
extern const Scheme sharded, sharded_all_to_all;
extern const Scheme qwd, tlq, tlq_hs, ulq, sdp4bit, sdp4bit_unfused;

std::span<const Scheme* const> all_schemes() {
  static constexpr std::array schemes{&sharded, &sharded_all_to_all, &qwd, &tlq, &tlq_hs, &ulq,
                                      &sdp4bit, &sdp4bit_unfused};
  return schemes;
}

const Scheme& scheme_named(std::string_view name, std::string_view flag) {
  std::vector<std::string_view> known;
  for (const Scheme* scheme : all_schemes()) {
    if (scheme->name == name) return *scheme;
    known.push_back(scheme->name);
  }
  throw InputError(
      fmt::format("{}: unknown scheme '{}'; known: {}", flag, name, fmt::join(known, ", ")));
}

}  // namespace sim
