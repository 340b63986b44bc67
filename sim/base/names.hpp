// Names in messages: what was meant by one that is not known, and lists of them.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace sim {

// The name among `names` that is at most a third of its letters away from `text`, by insertions,
// deletions, replacements and swaps of neighbours; empty when there is none.
[[nodiscard]] std::string_view closest_name(std::string_view text,
                                            std::span<const std::string_view> names);

// "a, b, c" for messages.
[[nodiscard]] std::string joined(std::span<const std::string_view> names);

}  // namespace sim
