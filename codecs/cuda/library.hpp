// SPDX-License-Identifier: Apache-2.0
// A library loaded at run time. It stays loaded until the program ends.
#pragma once

#include <dlfcn.h>

#include <span>
#include <string>

#include "codecs/cuda/error.hpp"

namespace codecs::cuda {

// Loads `file`, or without it the first of `names` that the system finds; null if there is none.
inline void* open_library(const std::string& file, std::span<const char* const> names) {
  if (!file.empty()) return dlopen(file.c_str(), RTLD_NOW);
  for (const char* name : names) {
    if (void* const library = dlopen(name, RTLD_NOW)) return library;
  }
  return nullptr;
}

template <typename Function>
Function symbol(void* library, const char* name) {
  void* const found = dlsym(library, name);
  if (found == nullptr) throw CudaError(std::string("the library has no ") + name);
  return reinterpret_cast<Function>(found);
}

}  // namespace codecs::cuda
