// SPDX-License-Identifier: Apache-2.0
// A C function over the launcher that fast_hadamard_transform.h declares.
#include <c10/util/Half.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <fast_hadamard_transform.h>

template <typename Value>
void fast_hadamard_transform_cuda(HadamardParamsBase& params, cudaStream_t stream);

// Of `rows` rows of 2^log_length values of `bytes` bytes: 2 (float16) or 4 (float32).
extern "C" void transform(void* from, void* to, long long rows, long long log_length,
                          long long bytes, cudaStream_t stream) {
  HadamardParamsBase params{};
  params.batch = static_cast<int>(rows);
  params.dim = 1 << log_length;
  params.log_N = static_cast<int>(log_length);
  params.x_batch_stride = params.out_batch_stride = params.dim;
  params.scale = 1;
  params.x_ptr = from;
  params.out_ptr = to;
  if (bytes == 4) {
    fast_hadamard_transform_cuda<float>(params, stream);
  } else {
    fast_hadamard_transform_cuda<at::Half>(params, stream);
  }
}
