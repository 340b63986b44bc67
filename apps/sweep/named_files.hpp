// The files that a command reads because its inputs, a spec or a store name them, so that no output
// takes the place of one: see refuse_overwriting() of sim/base/file.hpp.
#pragma once

#include <filesystem>
#include <string_view>
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

// Throws InputError, which begins with `place`, where writing `output` would overwrite one of these, or
// the spec, wherever that lies: it has the text that the store has of it.
void refuse_overwriting(std::string_view place, const std::filesystem::path& output, Store& store,
                        const std::filesystem::path& folder);

}  // namespace apps
