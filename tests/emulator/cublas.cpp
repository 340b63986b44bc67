// In place of codecs/cuda/cublas.cpp: where cuBLAS is installed, it still has no GPU.
#include "codecs/cuda/cublas.hpp"

namespace codecs::cuda {

std::optional<Cublas> load_cublas(const std::string&) { return std::nullopt; }

}  // namespace codecs::cuda
