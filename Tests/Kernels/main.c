// Checks the C kernels on this machine, and prints digests of their results, to be compared with those of
// other machines. Exits with 1 if a check fails.
#include "check.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#pragma clang fp contract(off)

static uint64_t state = 0x9E3779B97F4A7C15;
static int faults = 0;

// A xorshift generator, whose upper bits are more random.
static uint64_t next(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state * 0x2545F4914F6CDD1D;
}

float random_number(void) { return (float)((int64_t)next() >> 40) * 0x1p-23f; }

long random_whole(long least, long greatest) {
  return least + (long)((next() >> 16) % (uint64_t)(greatest - least + 1));
}

void fill(float *numbers, long count) {
  for (long at = 0; at < count; at++) numbers[at] = random_number();
}

void take(digest *digest, const void *bytes, long count) {
  const unsigned char *from = bytes;
  // FNV-1a.
  for (long at = 0; at < count; at++) digest->sum = (digest->sum ^ from[at]) * 0x100000001B3;
}

void print_digest(const char *name, const digest *digest) {
  printf("%-24s %016llx\n", name, (unsigned long long)digest->sum);
}

void fault(const char *format, ...) {
  if (++faults > 8) return;
  va_list values;
  va_start(values, format);
  vfprintf(stderr, format, values);
  va_end(values);
  fputc('\n', stderr);
}

uint32_t bits(float number) {
  uint32_t result;
  memcpy(&result, &number, sizeof result);
  return result;
}

int rounds_once(void) {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return 1;
#endif
}

float added(float sum, float a, float b) {
  return rounds_once() ? fmaf(a, b, sum) : sum + a * b;
}

int main(void) {
  printf("%-24s %s\n", "a product and a sum are", rounds_once() ? "rounded once" : "rounded twice");
  check_reading();
  check_sinc();
  check_correlation();
  check_narrow();
  check_reverb();
  // From here on denormals are zero, as on the audio thread.
  check_memory();
  check_fours();
  check_fourier();
  check_phases();
  check_heap();
  return faults ? EXIT_FAILURE : EXIT_SUCCESS;
}
