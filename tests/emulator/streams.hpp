// SPDX-License-Identifier: Apache-2.0
// Streams: what is enqueued is done at once, but for copies and fills of the default stream. CUDA may
// do these after the call has returned, also uploads from pageable memory, and here they wait for as
// long as it lets them: a kernel on a stream that does not block finds garbage where they are missing.
//
// What is enqueued on a stream that is captured is done when the graph is launched. Meanwhile nothing may
// allocate or wait: that is an error, as under cudaStreamCaptureModeGlobal.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>

namespace emulator {

// Whether a stream is captured.
bool is_capturing();

// Runs a kernel, or puts it into the graph of the stream that is captured.
cudaError_t enqueue_kernel(cudaStream_t stream, std::function<void()> kernel);

// Does what has been enqueued to the default stream.
void finish_default_stream();

// The same where work on `stream` comes after it: not where the stream does not block.
void wait_for_default_stream(cudaStream_t stream);

// `error`, which cudaGetLastError() will return if it is none of success.
cudaError_t result(cudaError_t error);

}  // namespace emulator
