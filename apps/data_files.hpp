// SPDX-License-Identifier: Apache-2.0
// Shipped files by name, wherever the program starts.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace apps {

// A topology is a cluster; a wide area is several sites.
enum class Kind { topology, wide_area, model, calibration, host_codecs, published, reliability };

// Whether `name` is a file rather than a shipped name: it has a slash or ends in the suffix.
[[nodiscard]] bool is_path(std::string_view name, std::string_view suffix);
// The file for `name`: a path if it has a slash or ends in the kind's suffix (for a model also
// ".json"), else a shipped name. Throws an InputError that names the flag and the shipped names if
// there is none.
[[nodiscard]] std::filesystem::path data_file(Kind kind, const std::string& name);
// The file for a site's `cluster` in a file of sites in `folder`: a path relative to `folder` if it
// has a slash or ends in ".toml"; else a file beside it, or a shipped cluster. Throws an InputError
// without a place: the reader of the file of sites adds it.
[[nodiscard]] std::filesystem::path cluster_of_site(const std::filesystem::path& folder,
                                                    const std::string& name);
// All shipped files of a kind, by name. A CPU's times are no calibration, but host codecs.
[[nodiscard]] std::vector<std::filesystem::path> shipped_files(Kind kind);
[[nodiscard]] std::vector<std::string> shipped_names(Kind kind);
// The shipped errors of codecs.
[[nodiscard]] std::filesystem::path codec_error_file();
// The shipped folder of what compiled kernels do.
[[nodiscard]] std::filesystem::path compiled_kernels_folder();
// The shipped folder of published kernel times.
[[nodiscard]] std::filesystem::path published_kernels_folder();
// The shipped defaults of the compute efficiency.
[[nodiscard]] std::filesystem::path efficiency_file();
// The shipped issue times of hosts.
[[nodiscard]] std::filesystem::path host_file();
// The shipped parts of networks.
[[nodiscard]] std::filesystem::path network_parts_file();
// The shipped folders: in the source tree, or share/gardenhose beside the installed program.
[[nodiscard]] std::filesystem::path data_directory();

}  // namespace apps
