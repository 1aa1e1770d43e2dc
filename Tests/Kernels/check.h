// What the checks of the C kernels share: numbers that are the same each time, and what is said.
#pragma once

#include <stdint.h>

// Numbers that look like chance, the same each time.
float random_number(void);                     // from -1 up to 1, with 23 binary places
long random_whole(long least, long greatest);  // both included
void fill(float *numbers, long count);

// Prints a line: what it is of, and a number that all bits of all results went into.
typedef struct {
  uint64_t sum;
} digest;
void take(digest *digest, const void *bytes, long count);
void print_digest(const char *name, const digest *digest);

// Notes that something is not as it should be, and says so the first few times.
__attribute__((format(printf, 1, 2))) void fault(const char *format, ...);

// The bits of a number: 0 and -0 are different, and what is no number is like itself.
uint32_t bits(float number);

// Whether the kernels round a product that is added once here, and such a sum.
int rounds_once(void);
float added(float sum, float a, float b);

void check_reading(void);
void check_sinc(void);
void check_correlation(void);
void check_narrow(void);
void check_reverb(void);
void check_memory(void);
void check_fours(void);
void check_phases(void);
