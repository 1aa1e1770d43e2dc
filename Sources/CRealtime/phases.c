#include "CRealtime.h"
#include "eights.h"

// Most of the studio engine's cost, in two vector widths. Nothing is fused, and sums add eight values at a
// time, so results are identical on all processors.
// All functions with vector parameters are inlined, so no calling convention can differ.
#pragma clang diagnostic ignored "-Wpsabi"

#define PICK __builtin_shufflevector

typedef int32_t angles __attribute__((vector_size(32)));

typedef struct {
  eight grown, squares, magnitudes, steady;
  angles less;
} sums;

#define VECTOR eight
#define ANGLES angles
#define LANES 8
#define NAMED(name) name##_by_8
#define COUNT {0, 1, 2, 3, 4, 5, 6, 7}
#define REVERSED(a) PICK(a, a, 7, 6, 5, 4, 3, 2, 1, 0)
#define GATHER(sum, value) sum += value;
#include "phases.h"

#if defined(__x86_64__)

typedef int32_t wide_angles __attribute__((vector_size(64)));

#define VECTOR sixteen
#define ANGLES wide_angles
#define LANES 16
#define NAMED(name) name##_by_16
#define COUNT {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}
#define REVERSED(a) PICK(a, a, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define GATHER(sum, value)                                     \
  {                                                            \
    const __typeof__(value) all = value;                       \
    sum += PICK(all, all, 0, 1, 2, 3, 4, 5, 6, 7);             \
    sum += PICK(all, all, 8, 9, 10, 11, 12, 13, 14, 15);       \
  }
#include "phases.h"

#endif

ALWAYS_INLINE float sum(eight a) {
  return ((a[0] + a[4]) + (a[2] + a[6])) + ((a[1] + a[5]) + (a[3] + a[7]));
}

ALWAYS_INLINE void measure(rt_phases *phases, long start, long end, int fused, int is_wide) {
  (void)fused;
  const rt_phases p = *phases;
  sums sums = {};
  long bin = start;
#if defined(__x86_64__)
  if (is_wide) bin = measure_by_16(&p, bin, end, &sums);
#else
  (void)is_wide;
#endif
  measure_by_8(&p, bin, end, &sums);
  phases->grown += sum(sums.grown);
  phases->squares += sum(sums.squares);
  int32_t count = 0;
  for (int lane = 0; lane < 8; ++lane) count -= sums.less[lane];
  phases->grown_count += count;
  phases->magnitudes += sum(sums.magnitudes);
  phases->steady_magnitudes += sum(sums.steady);
}

ALWAYS_INLINE void turn(const rt_turning *turning, long start, long end, int fused, int is_wide) {
  (void)fused;
  const rt_turning p = *turning;
  long bin = start;
#if defined(__x86_64__)
  if (is_wide)
    for (; bin + 8 < end; bin += 16) turn_by_16(&p, bin);
#else
  (void)is_wide;
#endif
  for (; bin < end; bin += 8) turn_by_8(&p, bin);
}

WIDENED(rt_measure_phases, (rt_phases *phases, long start, long end), measure, phases, start, end)

WIDENED(
    rt_turn_phases, (const rt_turning *turning, long start, long end), turn, turning, start, end)
