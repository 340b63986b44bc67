// The parts of the table that a GPU fills. Each announces its rows to the session's budget itself.
#pragma once

#include "apps/calibrate/gpu/products.hpp"
#include "apps/calibrate/gpu/session.hpp"

namespace calibrate {

// Copies in device memory, by the bytes that they move: {moved_bytes, method, median_s, spread_s,
// launches}, the faster of the driver's copy and of a kernel's. They are the floor of what follows.
[[nodiscard]] Json measure_copies(Session& session, const Sizes& sizes);

// The memory passes of an optimizer step on FP32, by the names that the simulator calls them:
// {pass, elements, moved_bytes, median_s, spread_s, launches, fraction}.
[[nodiscard]] Json measure_passes(Session& session, const Sizes& sizes);

// Rows of the table's "codecs", and of its "variants": kernels that are no operation of a
// registered codec (the swizzled encode, the transform alone), with the name of the variant.
struct CodecRows {
  Json codecs = Json::array();
  Json variants = Json::array();
};
[[nodiscard]] CodecRows measure_codecs(Session& session, const Sizes& sizes);

// Steps of methods with a state or a shape of their own, by the names of codecs/method.hpp: rows of
// table.hpp's json_of(). PowerSGD's only where cuBLAS is, of the file or of the usual places.
[[nodiscard]] Json measure_methods(Session& session, const Sizes& sizes,
                                   const std::string& cublas_file);

// Products of transformer layers: {precision, m, n, k, median_s, spread_s, launches}.
[[nodiscard]] Json measure_products(Session& session, const Products& products,
                                    const LayerShapes& layers);

// How a product and a kernel beside it slow each other: {kernel, blocks, m, n, k, product_alone_s,
// product_beside_s, kernel_alone_s, kernel_beside_s}; blocks is 0 for a codec's kernel, else the
// number of thread blocks of a copy.
[[nodiscard]] Json measure_interference(Session& session, const Products& products,
                                        const LayerShapes& layers, const Sizes& sizes);

}  // namespace calibrate
