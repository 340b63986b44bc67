// SPDX-License-Identifier: Apache-2.0
// The files that this process reads and those that it writes: one list of each, so that no output
// overwrites an input, in whichever order a command names them. Readers and writers of
// sim/base/file.hpp note their files themselves.
//
// Two names are one file if they lead to the same device and inode, or to the same place where there
// is no file yet. Files that are not regular, such as devices and pipes, clash with nothing.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>

namespace sim {

// For files that results follow from and that are read otherwise: by SQLite, by other processes.
// Throws an InputError that begins with the output's place if `file` is to be written. A file that
// this process has written itself is no input.
void note_input(const std::filesystem::path& file);
void note_inputs(std::span<const std::filesystem::path> files);

// `place` (a flag, say) will write `file`. Throws an InputError that begins with `place` if the file
// is an input, or the output of another place.
void note_output(std::string_view place, const std::filesystem::path& file);

// The output has been written, or given up: the file may be read.
void end_output(const std::filesystem::path& file);

}  // namespace sim
