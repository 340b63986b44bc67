/* SPDX-License-Identifier: Apache-2.0
 * A C program that uses the library of the kernels where there may be no GPU: sizes are those of the
 * CPU's library, and wrong arguments are refused before anything is launched. */
#include <gardenhose_codecs_cuda.h>
#include <stdio.h>
#include <string.h>

enum { kElements = 10007 };

static int fail(const char* codec, const char* what) {
  fprintf(stderr, "%s: %s\n", codec, what);
  return 1;
}

/* Addresses that are never read. */
static float* device(size_t address) { return (float*)address; }

static int check(const char* codec) {
  size_t bytes = 0, needed = 0, fed = 0, added = 0, added_bf16 = 0, none_needed = 1;
  int bad = 0;
  if (gardenhose_cuda_encoded_bytes(codec, kElements, &bytes) || bytes == 0 ||
      gardenhose_cuda_scratch_bytes(codec, GARDENHOSE_CUDA_ENCODE, kElements, &needed) ||
      gardenhose_cuda_scratch_bytes(codec, GARDENHOSE_CUDA_ENCODE_FEEDBACK, kElements, &fed) ||
      gardenhose_cuda_scratch_bytes(codec, GARDENHOSE_CUDA_DECODE_ADD, kElements, &added) ||
      gardenhose_cuda_scratch_bytes(codec, GARDENHOSE_CUDA_DECODE_ADD_BF16, kElements, &added_bf16))
    bad = fail(codec, "has no size");
  float largest = 0;
  if (gardenhose_cuda_largest_magnitude(codec, kElements, &largest) || !(largest > 1) ||
      gardenhose_cuda_largest_magnitude(codec, kElements, NULL) != GARDENHOSE_WRONG_ARGUMENT)
    bad = fail(codec, "has no largest magnitude");
  if (fed < needed || (fed > needed && fed < needed + 4 * kElements))
    bad = fail(codec, "needs too little scratch for feedback");
  if (gardenhose_cuda_scratch_bytes(codec, GARDENHOSE_CUDA_ENCODE_FEEDBACK, 0, &none_needed) ||
      none_needed != 0)
    bad = fail(codec, "needs scratch for no values");
  float *const values = device(4096), *const wire = device(65536), *const scratch = device(1 << 20),
               *const residual = device(1 << 21);
  const gardenhose_random_key odd = {0, 0, 0, 0, 8};
  const gardenhose_feedback usual = {1, 1, 0, 1};
  const gardenhose_status refused[] = {
      gardenhose_cuda_encoded_bytes(codec, 1, NULL),
      gardenhose_cuda_encoded_bytes(codec, (size_t)-1, &bytes),
      gardenhose_cuda_scratch_bytes(codec, (gardenhose_cuda_operation)4, kElements, &none_needed),
      gardenhose_cuda_encode(codec, NULL, kElements, NULL, wire, bytes, scratch, needed, NULL),
      gardenhose_cuda_encode(codec, values, kElements, NULL, NULL, bytes, scratch, needed, NULL),
      gardenhose_cuda_encode(codec, values + 1, kElements, NULL, wire, bytes, scratch, needed,
                             NULL),
      gardenhose_cuda_encode(codec, values, kElements, NULL, wire, bytes - 1, scratch, needed,
                             NULL),
      gardenhose_cuda_encode(codec, values, kElements, &odd, wire, bytes, scratch, needed, NULL),
      gardenhose_cuda_encode(codec, values, (size_t)1 << 62, NULL, wire, 0, scratch, needed, NULL),
      gardenhose_cuda_encode(codec, values, kElements, NULL, values, bytes, scratch, needed, NULL),
      gardenhose_cuda_encode_feedback(codec, &usual, values, kElements, NULL, values, wire, bytes,
                                      scratch, fed, NULL),
      gardenhose_cuda_decode(codec, values, bytes, values, kElements, NULL),
      gardenhose_cuda_encode_feedback(codec, NULL, values, kElements, NULL, residual, wire, bytes,
                                      scratch, fed, NULL),
      gardenhose_cuda_encode_feedback(codec, &usual, values, kElements, NULL, NULL, wire, bytes,
                                      scratch, fed, NULL),
      gardenhose_cuda_decode(codec, wire, bytes + 16, values, kElements, NULL),
      gardenhose_cuda_decode(codec, wire, bytes, values + 1, kElements, NULL),
      gardenhose_cuda_decode_add(codec, NULL, bytes, values, kElements, scratch, added, NULL),
      gardenhose_cuda_decode_add_bf16(codec, wire, bytes, NULL, kElements, scratch, added_bf16,
                                      NULL)};
  for (size_t i = 0; i < sizeof refused / sizeof *refused; ++i) {
    if (refused[i] != GARDENHOSE_WRONG_ARGUMENT) bad = fail(codec, "takes wrong arguments");
  }
  if (needed > 0 && gardenhose_cuda_encode(codec, values, kElements, NULL, wire, bytes, scratch,
                                           needed - 1, NULL) != GARDENHOSE_WRONG_ARGUMENT)
    bad = fail(codec, "takes too little scratch");
  if (fed > 0 &&
      gardenhose_cuda_encode_feedback(codec, &usual, values, kElements, NULL, residual, wire, bytes,
                                      scratch, fed - 1, NULL) != GARDENHOSE_WRONG_ARGUMENT)
    bad = fail(codec, "takes too little scratch for feedback");
  if (added > 0 && gardenhose_cuda_decode_add(codec, wire, bytes, values, kElements, scratch,
                                              added - 1, NULL) != GARDENHOSE_WRONG_ARGUMENT)
    bad = fail(codec, "takes too little scratch to add");
  const gardenhose_status none =
      gardenhose_cuda_decode_reduce(codec, wire, 0, 0, values, kElements, NULL);
  if (none != GARDENHOSE_WRONG_ARGUMENT && none != GARDENHOSE_UNSUPPORTED)
    bad = fail(codec, "sums nothing");
  if (gardenhose_cuda_encode(codec, NULL, 0, NULL, NULL, 0, NULL, needed, NULL) ||
      gardenhose_cuda_encode_feedback(codec, &usual, NULL, 0, NULL, NULL, NULL, 0, NULL, 0, NULL) ||
      gardenhose_cuda_decode(codec, NULL, 0, NULL, 0, NULL) ||
      gardenhose_cuda_decode_add(codec, NULL, 0, NULL, 0, NULL, 0, NULL) ||
      gardenhose_cuda_decode_add_bf16(codec, NULL, 0, NULL, 0, NULL, 0, NULL))
    bad = fail(codec, "does not take no values");
  return bad;
}

int main(void) {
  size_t bytes = 0;
  int bad = 0;
  for (size_t i = 0; i < gardenhose_cuda_codec_count(); ++i) {
    bad |= check(gardenhose_cuda_codec_name(i));
  }
  for (size_t i = 0; i < gardenhose_codec_count(); ++i) {
    const char* const codec = gardenhose_codec_name(i);
    size_t same = 0;
    if (gardenhose_encoded_bytes(codec, kElements, &bytes) ||
        gardenhose_cuda_encoded_bytes(codec, kElements, &same) || bytes != same)
      bad = fail(codec, "has another size on GPUs");
  }
  if (gardenhose_cuda_codec_name(gardenhose_cuda_codec_count()) != NULL)
    bad = fail("names", "do not end");
  if (gardenhose_cuda_encoded_bytes("none", 1, &bytes) != GARDENHOSE_UNKNOWN_CODEC ||
      gardenhose_cuda_encode(NULL, NULL, 0, NULL, NULL, 0, NULL, 0, NULL) !=
          GARDENHOSE_UNKNOWN_CODEC)
    bad = fail("none", "is known");
  printf("%zu codecs\n", gardenhose_cuda_codec_count());
  return bad;
}
