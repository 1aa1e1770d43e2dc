// Shared by the checks of the C kernels: reproducible random numbers, digests, and failures.
#pragma once

#include <stdint.h>

// Pseudorandom numbers, the same in each run.
float random_number(void);                     // from -1 to below 1, with 23 fractional bits
long random_whole(long least, long greatest);  // inclusive
void fill(float *numbers, long count);

// A hash of all bits of all results; printed as one line with its name.
typedef struct {
  uint64_t sum;
} digest;
void take(digest *digest, const void *bytes, long count);
void print_digest(const char *name, const digest *digest);

// Records a failure, and prints the first few.
__attribute__((format(printf, 1, 2))) void fault(const char *format, ...);

// The bit pattern of a number, for comparisons: 0 and -0 differ, and NaN equals itself.
uint32_t bits(float number);

// Whether the kernels use fused multiply-adds on this machine, and a multiply-add rounded like theirs.
int rounds_once(void);
float added(float sum, float a, float b);

void check_reading(void);
void check_sinc(void);
void check_correlation(void);
void check_narrow(void);
void check_reverb(void);
void check_memory(void);
void check_fours(void);
void check_fourier(void);
void check_phases(void);
void check_heap(void);
