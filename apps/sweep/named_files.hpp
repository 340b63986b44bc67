// The files that a command reads because its inputs, a spec or a store name them, so that no output
// takes the place of one: see refuse_overwriting() of sim/base/file.hpp.
#pragma once

#include <filesystem>
#include <vector>

#include "apps/sweep/store.hpp"

namespace apps {

// Clusters, sites, models, schemes, cards and calibrations of points whose paths go from `folder`.
[[nodiscard]] std::vector<std::filesystem::path> files_of_points(
    const std::vector<Inputs>& points, const std::filesystem::path& folder);

// A spec and what its points read.
[[nodiscard]] std::vector<std::filesystem::path> files_of_spec(const Spec& spec);

// A store with the files that SQLite keeps beside it, the spec that it was swept from, where that lies
// beside it, and what its points have read, by paths that go from `folder`.
[[nodiscard]] std::vector<std::filesystem::path> files_of_store(
    Store& store, const std::filesystem::path& folder);

}  // namespace apps
