// SPDX-License-Identifier: Apache-2.0
// The domain of a format: how large values may be.
#pragma once

#include <cstddef>

#include "codecs/format.hpp"

namespace codecs {

// Up to this magnitude, so many values decode to finite ones, whatever their signs. Larger ones may
// decode to infinities or NaNs: scales that are sums or norms overflow, as do transforms.
[[nodiscard]] float largest_magnitude(const Format& format, std::size_t elements);

}  // namespace codecs
