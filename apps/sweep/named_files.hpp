// SPDX-License-Identifier: Apache-2.0
// The files that a command reads because its inputs, a spec or a store name them, so that no output
// overwrites one: see refuse_overwriting() of sim/base/file.hpp.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "apps/sweep/store.hpp"

namespace apps {

// Clusters, sites, models, schemes, cards and calibrations of points with paths relative to
// `folder`.
[[nodiscard]] std::vector<std::filesystem::path> files_of_points(
    const std::vector<Inputs>& points, const std::filesystem::path& folder);

// A spec and the files that its points read.
[[nodiscard]] std::vector<std::filesystem::path> files_of_spec(const Spec& spec);

// A store with SQLite's companion files, the spec that it was swept from if that lies beside it,
// and the files that its points have read, with paths relative to `folder`.
[[nodiscard]] std::vector<std::filesystem::path> files_of_store(
    Store& store, const std::filesystem::path& folder);

// Throws an InputError that begins with `place` if writing `output` would overwrite one of these,
// or the spec, wherever it lies: the store has its text.
void refuse_overwriting(std::string_view place, const std::filesystem::path& output, Store& store,
                        const std::filesystem::path& folder);

}  // namespace apps
