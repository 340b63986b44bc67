// SPDX-License-Identifier: Apache-2.0
// The programs that tests/gpu.sh builds have libstdc++ inside, whose random_device takes this function from
// the C library, 2.36 or newer where it was built on Debian 12. With one of their own they start on 2.35
// (Ubuntu 22.04) too.
#include <stdlib.h>
#include <sys/random.h>

__attribute__((visibility("hidden"))) unsigned arc4random(void) {
  unsigned word = 0;
  if (getrandom(&word, sizeof word, 0) != (ssize_t)sizeof word) abort();
  return word;
}
