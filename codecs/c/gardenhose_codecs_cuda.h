/* SPDX-License-Identifier: Apache-2.0
 *
 * libgardenhose_codecs_cuda: the codecs of Gardenhose on NVIDIA GPUs, for C and for what calls C. Wires
 * have the bytes that libgardenhose_codecs writes and reads, where both have the codec.
 *
 * Pointers called values, residual, sums, wire, wires and scratch are to memory of the current device,
 * aligned to 16 bytes; a key, a rule and a size are in the host's memory and are read before the
 * function returns. `stream` is a cudaStream_t of the current device; NULL is the default stream.
 *
 * Functions enqueue work on the stream and return: they neither allocate memory nor wait, and so can
 * be captured in a CUDA graph. (The first call of a codec's operation loads its kernels: make it
 * before the capture.) The caller owns all memory, which must stay as it is until the work is done;
 * no function keeps a pointer beyond that. All may be called from several threads at once, on
 * different outputs.
 *
 * Functions return a status, as gardenhose_codecs.h defines it:
 *   GARDENHOSE_WRONG_ARGUMENT  also: a pointer is not aligned, or scratch is too small; nothing was
 *                              enqueued
 *   GARDENHOSE_UNSUPPORTED     the codec has no such operation on GPUs; nothing was enqueued
 *   GARDENHOSE_FAILED          a launch failed: no device, no code for this one, or an error that
 *                              earlier work on the device left
 * Errors in the work itself show at the next synchronisation, as those of any kernel.
 *
 *   size_t bytes, needed;
 *   gardenhose_cuda_encoded_bytes("int8_g128", n, &bytes);
 *   gardenhose_cuda_scratch_bytes("int8_g128", GARDENHOSE_CUDA_ENCODE, n, &needed);
 *   cudaMalloc(&wire, bytes);
 *   cudaMalloc(&scratch, needed);
 *   gardenhose_cuda_encode("int8_g128", values, n, NULL, wire, bytes, scratch, needed, stream);
 *   gardenhose_cuda_decode("int8_g128", wire, bytes, values, n, stream);
 */
#pragma once

#include "gardenhose_codecs.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Names of the library's codecs: NULL from gardenhose_cuda_codec_count() on. */
size_t gardenhose_cuda_codec_count(void);
const char* gardenhose_cuda_codec_name(size_t index);

/* Bytes of the wire of so many values. */
gardenhose_status gardenhose_cuda_encoded_bytes(const char* codec, size_t elements, size_t* bytes);

/* Up to the magnitude `largest`, so many values decode to finite ones: see
 * gardenhose_largest_magnitude(). Every codec has the same on CPUs and GPUs. */
gardenhose_status gardenhose_cuda_largest_magnitude(const char* codec, size_t elements,
                                                    float* largest);

/* What scratch is for: the function of the same name. */
typedef enum {
  GARDENHOSE_CUDA_ENCODE = 0,
  GARDENHOSE_CUDA_ENCODE_FEEDBACK = 1,
  GARDENHOSE_CUDA_DECODE_ADD = 2,
  GARDENHOSE_CUDA_DECODE_ADD_BF16 = 3
} gardenhose_cuda_operation;

/* Bytes of scratch that an operation on so many values needs, often 0: scratch may then be NULL. Its
 * contents do not matter. Calls that may run at the same time need scratch of their own. */
gardenhose_status gardenhose_cuda_scratch_bytes(const char* codec,
                                                gardenhose_cuda_operation operation,
                                                size_t elements, size_t* bytes);

/* Fills `wire`, whose length wire_bytes must be gardenhose_cuda_encoded_bytes(). A null key is zeros. */
gardenhose_status gardenhose_cuda_encode(const char* codec, const float* values, size_t elements,
                                         const gardenhose_random_key* key, void* wire,
                                         size_t wire_bytes, void* scratch, size_t scratch_bytes,
                                         void* stream);

/* The same with error feedback; `residual` has as many floats as `values`, zeros at first. Codecs
 * without a kernel of their own for it encode and decode between two passes over values and residual:
 * with the same bytes, and 4 * elements bytes more of scratch than gardenhose_cuda_encode(). */
gardenhose_status gardenhose_cuda_encode_feedback(const char* codec,
                                                  const gardenhose_feedback* feedback,
                                                  const float* values, size_t elements,
                                                  const gardenhose_random_key* key, float* residual,
                                                  void* wire, size_t wire_bytes, void* scratch,
                                                  size_t scratch_bytes, void* stream);

gardenhose_status gardenhose_cuda_decode(const char* codec, const void* wire, size_t wire_bytes,
                                         float* values, size_t elements, void* stream);

/* values += what the wire decodes to. Most codecs add in one pass, without scratch. FP16, natural
 * compression, EDEN, rotations by random signs and codecs that send few values decode to 4 * elements bytes
 * of scratch, and add them in a pass. */
gardenhose_status gardenhose_cuda_decode_add(const char* codec, const void* wire, size_t wire_bytes,
                                             float* values, size_t elements, void* scratch,
                                             size_t scratch_bytes, void* stream);

/* The same of a model in bfloat16, given as its bits: model = bf16(model + bf16(decoded)). FP32, BF16 and
 * TernGrad take that scratch, too. */
gardenhose_status gardenhose_cuda_decode_add_bf16(const char* codec, const void* wire,
                                                  size_t wire_bytes, uint16_t* model,
                                                  size_t elements, void* scratch,
                                                  size_t scratch_bytes, void* stream);

/* The sum of `inputs` wires that lie end to end, each of `elements` values and of
 * wires_bytes / inputs bytes: from 0, in their order. Its last bits may differ from those of
 * gardenhose_cuda_decode_add() for one wire after the other, as gardenhose_decode_reduce() says. */
gardenhose_status gardenhose_cuda_decode_reduce(const char* codec, const void* wires,
                                                size_t wires_bytes, size_t inputs, float* sums,
                                                size_t elements, void* stream);

/* What a rank between two hops does: sums `inputs` wires of `codec`, each of `elements` values, and
 * encodes the sum with `codec_out` as `outputs` wires that lie end to end, each of elements / outputs
 * values. Where there are several outputs, each must hold whole groups, and the codec must have no
 * scale for a whole tensor. Codecs are those of groups, without random signs: others are
 * GARDENHOSE_UNSUPPORTED. `codec_out` is `codec`, or symmetric INT4 after symmetric INT8 with the
 * same group size and transform: other pairs are GARDENHOSE_WRONG_ARGUMENT. Scratch:
 * that of gardenhose_cuda_encode() with codec_out. */
gardenhose_status gardenhose_cuda_decode_reduce_encode(
    const char* codec, const char* codec_out, const void* wires, size_t wires_bytes, size_t inputs,
    size_t elements, const gardenhose_random_key* key, void* wires_out, size_t wires_out_bytes,
    size_t outputs, void* scratch, size_t scratch_bytes, void* stream);

#ifdef __cplusplus
}
#endif
