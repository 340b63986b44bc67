/* SPDX-License-Identifier: Apache-2.0
 *
 * libgardenhose_codecs: the codecs of Gardenhose on CPUs, for C and for what calls C.
 *
 * A codec turns float32 values into bytes for the network, the wire, and back. Codecs have names, as
 * `gardenhose list codecs` shows them; this library has all of them. BF16, FP8, INT8, INT4, signs and
 * top-k have vector code; the others run their references, slowly, in one thread and with memory of
 * their own.
 * The layout of each wire is drawn in the header of the codec's folder (codecs/group/group.hpp,
 * codecs/sign/sign.hpp, codecs/top_k/top_k.hpp ...), is little-endian, and depends neither on the
 * processor nor on the number of threads. gardenhose_codecs_cuda.h has the codecs on NVIDIA GPUs.
 *
 * Functions return a status. Unless it is GARDENHOSE_OK or GARDENHOSE_FAILED, nothing was written. No
 * function keeps a pointer. All may be called from several threads at once, on different outputs.
 * `threads` is the number of threads that one call uses, at least 1; they are started and joined by
 * the call, which takes memory. In one thread, decodes and sums allocate none, and encodes those of
 * sparse codecs and of signs with one scale alone.
 *
 * What a function writes must not overlap anything else that it takes: a residual is not its values, and
 * values are not decoded over their wire.
 *
 * Of a wire, only the length is checked. If no encoder wrote its bytes, the values are unspecified, and
 * may not be finite; nothing but the values is written. An index beyond the values is ignored.
 *
 *   size_t bytes;
 *   gardenhose_encoded_bytes("int8_g128", n, &bytes);
 *   void* wire = malloc(bytes);
 *   gardenhose_encode("int8_g128", values, n, NULL, wire, bytes, 1);
 *   gardenhose_decode("int8_g128", wire, bytes, values, n, 1);
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  GARDENHOSE_OK = 0,
  GARDENHOSE_UNKNOWN_CODEC = 1, /* no codec of this library has the name */
  GARDENHOSE_WRONG_ARGUMENT =
      2,                      /* a size disagrees, more than 2^48 values, a pointer is null, memory
                                  * overlaps, first_element is no multiple of 16, or threads < 1 */
  GARDENHOSE_UNSUPPORTED = 3, /* the codec has no such operation */
  GARDENHOSE_FAILED = 4       /* no memory, or no thread */
} gardenhose_status;

/* The random bits of stochastic rounding: the same key gives the same bytes. Ranks that encode the
 * same tensor should differ in `rank`, so that their errors do not add up. A tensor encoded in
 * pieces draws the same bits as when encoded whole if `first_element`, a multiple of 16, is the
 * index of the piece's first value. */
typedef struct {
  uint64_t seed;
  uint32_t step;
  uint32_t tensor;
  uint32_t rank;
  uint64_t first_element;
} gardenhose_random_key;

/* Error feedback: what is encoded is gain * values + carry * residual; then
 * residual = keep * residual + take * (what was encoded - what it decodes to). The usual rule is
 * {1, 1, 0, 1}; SparseLoCo's has a carry of 0.95. A residual that would not be finite stays. */
typedef struct {
  float gain;
  float carry;
  float keep;
  float take;
} gardenhose_feedback;

/* Names of the library's codecs: NULL from gardenhose_codec_count() on. */
size_t gardenhose_codec_count(void);
const char* gardenhose_codec_name(size_t index);

/* Bytes of the wire of so many values. */
gardenhose_status gardenhose_encoded_bytes(const char* codec, size_t elements, size_t* bytes);

/* Up to the magnitude `largest`, so many values decode to finite ones, whatever their signs: 2^126, but
 * less for scales that are means or norms, and for Hadamard's transform. Larger values may decode to
 * infinities or NaNs. With feedback, it holds for what is encoded, the residual included. */
gardenhose_status gardenhose_largest_magnitude(const char* codec, size_t elements, float* largest);

/* Fills `wire`, whose length wire_bytes must be gardenhose_encoded_bytes(). A null key is zeros. */
gardenhose_status gardenhose_encode(const char* codec, const float* values, size_t elements,
                                    const gardenhose_random_key* key, void* wire, size_t wire_bytes,
                                    int threads);

/* The same with error feedback; `residual` has as many floats as `values`, zeros at first. */
gardenhose_status gardenhose_encode_feedback(const char* codec, const gardenhose_feedback* feedback,
                                             const float* values, size_t elements,
                                             const gardenhose_random_key* key, float* residual,
                                             void* wire, size_t wire_bytes, int threads);

gardenhose_status gardenhose_decode(const char* codec, const void* wire, size_t wire_bytes,
                                    float* values, size_t elements, int threads);

/* values += what the wire decodes to. */
gardenhose_status gardenhose_decode_add(const char* codec, const void* wire, size_t wire_bytes,
                                        float* values, size_t elements, int threads);

/* The sum of `inputs` wires that lie end to end, each of `elements` values and of
 * wires_bytes / inputs bytes: from 0, in their order, in float32. Each product of a code and its scale is
 * added unrounded (a fused multiply-add), and Hadamard's transform is undone once, for the sum. So the
 * last bits may differ from those of gardenhose_decode_add() for one wire after the other, which rounds
 * what each wire decodes to before it adds it. */
gardenhose_status gardenhose_decode_reduce(const char* codec, const void* wires, size_t wires_bytes,
                                           size_t inputs, float* sums, size_t elements,
                                           int threads);

#ifdef __cplusplus
}
#endif
