// SPDX-License-Identifier: Apache-2.0
// Versions of NCCL whose choice of algorithms and protocols is known.
#pragma once

#include <compare>
#include <optional>
#include <string_view>

#include "sim/base/names.hpp"

namespace sim {

// 28 stands for NCCL 2.28 and each of its releases.
struct NcclVersion {
  int minor = 0;
  auto operator<=>(const NcclVersion&) const = default;
};

// Values of collectives.nccl.
inline constexpr EnumName<std::optional<NcclVersion>> kNcclNames[] = {
    {"off", std::nullopt},     {"2.18", NcclVersion{18}}, {"2.19", NcclVersion{19}},
    {"2.20", NcclVersion{20}}, {"2.21", NcclVersion{21}}, {"2.22", NcclVersion{22}},
    {"2.23", NcclVersion{23}}, {"2.24", NcclVersion{24}}, {"2.25", NcclVersion{25}},
    {"2.26", NcclVersion{26}}, {"2.27", NcclVersion{27}}, {"2.28", NcclVersion{28}},
    {"2.29", NcclVersion{29}}};
inline constexpr NcclVersion kNewestNccl{29};

// That of the name, which may be of a release: "2.26.2". Throws an InputError that begins with
// `place`.
[[nodiscard]] std::optional<NcclVersion> nccl_named(std::string_view text, std::string_view place);
// The same of a log: the newest one where the text is none of them, as of later releases.
[[nodiscard]] NcclVersion nccl_or_newest(std::string_view text);

}  // namespace sim
