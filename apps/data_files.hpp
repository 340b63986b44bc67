// Shipped files by name, wherever the program is started from.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace apps {

// A topology is a cluster; a wide area is several sites.
enum class Kind { topology, wide_area, model, calibration, published };

// Whether `name` is a file's and not a shipped one's: it has a slash or ends in the suffix.
[[nodiscard]] bool is_path(std::string_view name, std::string_view suffix);
// The file that `name` means: a path when it has a slash or ends in the kind's suffix (a model's
// also in ".json"), else a shipped name. Throws InputError, naming the flag and the shipped names,
// when there is none.
[[nodiscard]] std::filesystem::path data_file(Kind kind, const std::string& name);
// The file that a site's `cluster` names in a file of sites that lies in `folder`: a path from
// there when it has a slash or ends in ".toml", else one beside it, or a shipped cluster. Throws
// InputError without a place: the file of sites has it.
[[nodiscard]] std::filesystem::path cluster_of_site(const std::filesystem::path& folder,
                                                    const std::string& name);
// All shipped files of a kind, by name. Times of a CPU are no calibration.
[[nodiscard]] std::vector<std::filesystem::path> shipped_files(Kind kind);
// The shipped errors of codecs.
[[nodiscard]] std::filesystem::path codec_error_file();
// The shipped defaults of the compute efficiency.
[[nodiscard]] std::filesystem::path efficiency_file();
// Where the shipped folders are: the source tree, or share/gardenhose beside the installed program.
[[nodiscard]] std::filesystem::path data_directory();

}  // namespace apps
