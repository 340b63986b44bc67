// SPDX-License-Identifier: Apache-2.0
// The GPU's parts of the table. Each announces its rows to the session's budget.
#pragma once

#include "apps/calibrate/gpu/products.hpp"
#include "apps/calibrate/gpu/session.hpp"

namespace calibrate {

// Copies in device memory, by the bytes that they move: {moved_bytes, method, median_s, spread_s,
// launches}, the faster of the driver's copy and a kernel's. They are the floor of all kernels.
[[nodiscard]] Json measure_copies(Session& session, const Sizes& sizes);

// The memory passes of an optimizer step on FP32, by the simulator's names: {pass, elements,
// moved_bytes, median_s, spread_s, launches}.
[[nodiscard]] Json measure_passes(Session& session, const Sizes& sizes);

// Rows of the table's "codecs", and of its "variants": kernels outside the registered codecs'
// operations (the swizzled encode, the transform alone), with the name of the variant.
struct CodecRows {
  Json codecs = Json::array();
  Json variants = Json::array();
};
[[nodiscard]] CodecRows measure_codecs(Session& session, const Sizes& sizes);

// Steps of methods with state, or with tensors of a particular shape, by the names in
// codecs/method.hpp: rows of table.hpp's json_of(). PowerSGD's need cuBLAS, from the given file or
// a usual place.
[[nodiscard]] Json measure_methods(Session& session, const Sizes& sizes,
                                   const std::string& cublas_file);

// Products of transformer layers: {precision, pass, m, n, k, median_s, spread_s, launches}.
[[nodiscard]] Json measure_products(Session& session, const Products& products,
                                    const LayerShapes& layers);

}  // namespace calibrate
