#include "CRealtime.h"
#include "eights.h"

// Most of the cost of pitch detection.

// Sums eight floats. A macro, because older processors can't pass vectors this wide as arguments.
#define SUM(parts, result)                                                   \
  {                                                                          \
    const four half = FOLD(parts);                                           \
    result = (half[0] + half[1]) + (half[2] + half[3]);                      \
  }

ALWAYS_INLINE float product(const float *a, const float *b, long count, int fused) {
  // Several accumulators, so that none waits for another.
  eight first = {0}, second = {0}, third = {0}, fourth = {0};
  long i = 0;
  for (; i + 32 <= count; i += 32) {
    first = ADDED(first, LOAD(a + i), LOAD(b + i));
    second = ADDED(second, LOAD(a + i + 8), LOAD(b + i + 8));
    third = ADDED(third, LOAD(a + i + 16), LOAD(b + i + 16));
    fourth = ADDED(fourth, LOAD(a + i + 24), LOAD(b + i + 24));
  }
  for (; i + 8 <= count; i += 8) first = ADDED(first, LOAD(a + i), LOAD(b + i));
  const eight all = (first + second) + (third + fourth);
  float result;
  SUM(all, result)
  for (; i < count; ++i) result = ADDED(result, a[i], b[i]);
  return result;
}

ALWAYS_INLINE rt_four products(const float *a, const float *b, long count, int fused) {
  eight first = {0}, second = {0}, third = {0}, fourth = {0};
  long i = 0;
  for (; i + 8 <= count; i += 8) {
    // One load of `a` serves all four sums.
    const eight own = LOAD(a + i);
    first = ADDED(first, own, LOAD(b + i));
    second = ADDED(second, own, LOAD(b + i + 1));
    third = ADDED(third, own, LOAD(b + i + 2));
    fourth = ADDED(fourth, own, LOAD(b + i + 3));
  }
  four result;
  SUM(first, result[0])
  SUM(second, result[1])
  SUM(third, result[2])
  SUM(fourth, result[3])
  for (; i < count; ++i) {
    const four own = a[i] - (four){}, others = {b[i], b[i + 1], b[i + 2], b[i + 3]};
    result = ADDED(result, own, others);
  }
  return (rt_four)result;
}

DISPATCHED(
    float, rt_product, (const float *a, const float *b, long count), product, a, b, count)

DISPATCHED(
    rt_four, rt_products, (const float *a, const float *b, long count), products, a, b, count)
