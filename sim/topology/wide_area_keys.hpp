// SPDX-License-Identifier: Apache-2.0
// Parts of a file of sites: those shared by several of its tables, and those that stand alone.
#pragma once

#include <string>
#include <string_view>

#include "sim/base/toml_reader.hpp"
#include "sim/topology/wide_area.hpp"

namespace sim {

inline constexpr int kMostOfAKind = 65'536;

// Joins "sites.east" and "uplink" to "sites.east.uplink".
[[nodiscard]] std::string key_in(std::string_view table, std::string_view key);
[[nodiscard]] int read_count(TomlReader& reader, const std::string& key, int highest);

// [wan], with [tcp] or [rdma].
[[nodiscard]] Transport read_transport(TomlReader& reader);

// How the sites of the table train, where that differs from the job.
[[nodiscard]] SiteSetup read_site_setup(TomlReader& reader, std::string_view table);

// `changes` and `repeats` of the table.
[[nodiscard]] Variation read_variation(TomlReader& reader, std::string_view table);

}  // namespace sim
