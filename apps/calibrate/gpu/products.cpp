// SPDX-License-Identifier: Apache-2.0
#include "apps/calibrate/gpu/products.hpp"

#include <array>
#include <utility>

namespace calibrate {

bool a_is_transposed(const Product& product) { return product.pass == Pass::weight_gradient; }
bool b_is_transposed(const Product& product) { return product.pass == Pass::forward; }

std::set<Product> products_of(const LayerShapes& layers) {
  std::set<Product> products;
  for (const int hidden : layers.hidden) {
    for (const int parallel : layers.parallel) {
      const std::array<std::pair<int, int>, 5> shapes{{{hidden, 3 * hidden / parallel},
                                                       {hidden / parallel, hidden},
                                                       {hidden, 4 * hidden / parallel},
                                                       {4 * hidden / parallel, hidden},
                                                       {hidden, layers.vocabulary / parallel}}};
      for (const auto& [in, out] : shapes) {
        products.insert({layers.tokens, out, in, Pass::forward});
        products.insert({layers.tokens, in, out, Pass::input_gradient});
        products.insert({out, in, layers.tokens, Pass::weight_gradient});
      }
    }
  }
  return products;
}

}  // namespace calibrate
