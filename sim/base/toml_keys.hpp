// SPDX-License-Identifier: Apache-2.0
// Tables of the keys that kinds of files have. A reader asks for no key that its table lacks, and for
// none as another kind of value; the reference prints the tables.
#pragma once

#include <span>
#include <string_view>

namespace sim {

struct TomlKey {
  std::string_view key;      // dotted; NAME is a part that the file chooses: "sites.NAME.uplink"
  std::string_view value;    // as TomlReader words it: "bandwidth above 0"
  std::string_view usual;    // the default, or when the key is needed; empty: always needed
  std::string_view meaning;  // a sentence or two
  // What messages suggest, "30 ms"; empty: what is usual for such values.
  std::string_view example = {};
};

// "sites" of "sites.east.uplink".
[[nodiscard]] std::string_view first_part(std::string_view key);
// "sites.east" of it, and "uplink"; without a dot, nothing and the key.
[[nodiscard]] std::string_view table_part(std::string_view key);
[[nodiscard]] std::string_view leaf_part(std::string_view key);
// The key's row, or nullptr.
[[nodiscard]] const TomlKey* row_of(std::span<const TomlKey> keys, std::string_view key);

}  // namespace sim
