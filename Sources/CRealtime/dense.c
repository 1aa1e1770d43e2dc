#include "CRealtime.h"

// The same arithmetic, compiled for processors with and without AVX2 and FMA: it is most of what a
// voice costs. Not by target_clones, whose choice is made before a sanitizer is ready for it.
#pragma clang fp contract(fast)
#define ALWAYS_INLINE static inline __attribute__((always_inline))

typedef float eight __attribute__((vector_size(32)));
typedef float four __attribute__((vector_size(16)));
typedef float loose_eight __attribute__((vector_size(32), aligned(4)));
typedef float loose_four __attribute__((vector_size(16), aligned(4)));

#define LOAD(pointer) ((eight) * (const loose_eight *)(pointer))

// Where a reading begins: the row, the share of the next one, and the first samples of both kinds.
#define LOCATE                                              \
  const uint32_t fraction = (uint32_t)position;             \
  const long place = fraction >> 24, late = place >> 7;     \
  const long index = (long)(position >> 32);                \
  const float *row = rows + (place + late) * 16;            \
  const float share = (float)(int32_t)(fraction & 0xFFFFFF) * 0x1p-24f;

#define ADVANCE     \
  position += step; \
  step += change;

// The halves of eight numbers, added.
#define FOLD(sum)                                   \
  (__builtin_shufflevector(sum, sum, 0, 1, 2, 3)    \
   + __builtin_shufflevector(sum, sum, 4, 5, 6, 7))

// The weighted samples of one reading, half added up.
#define READ(sum)                                                                         \
  {                                                                                       \
    LOCATE                                                                                \
    const eight even = LOAD(samples + index - 3), odd = LOAD(halves + index - 4 + late);  \
    const eight here = even * LOAD(row) + odd * LOAD(row + 8);                            \
    const eight next = even * LOAD(row + 16) + odd * LOAD(row + 24);                      \
    const eight mixed = here + (next - here) * share;                                     \
    sum = FOLD(mixed);                                                                    \
    ADVANCE                                                                               \
  }

ALWAYS_INLINE void read_one(
    const float *rows, const float *samples, const float *halves, int64_t position, int64_t step,
    int64_t change, float *output, long frames) {
  for (long frame = 0; frame < frames; frame += 4) {
    four a, b, c, d;
    READ(a)
    READ(b)
    READ(c)
    READ(d)
    const four ab = __builtin_shufflevector(a, b, 0, 4, 1, 5)
                    + __builtin_shufflevector(a, b, 2, 6, 3, 7);
    const four cd = __builtin_shufflevector(c, d, 0, 4, 1, 5)
                    + __builtin_shufflevector(c, d, 2, 6, 3, 7);
    *(loose_four *)(output + frame) = __builtin_shufflevector(ab, cd, 0, 1, 4, 5)
                                      + __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
  }
}

#define SUM(from, between, result)                                                            \
  {                                                                                           \
    const eight sum = LOAD(from + index - 3) * even + LOAD(between + index - 4 + late) * odd; \
    const four half = FOLD(sum);                                                              \
    result = (half[0] + half[1]) + (half[2] + half[3]);                                       \
  }

ALWAYS_INLINE void read_pair(
    const float *rows, const float *left, const float *left_halves, const float *right,
    const float *right_halves, int64_t position, int64_t step, int64_t change, float *left_output,
    float *right_output, long frames) {
  for (long frame = 0; frame < frames; ++frame) {
    LOCATE
    const eight even = LOAD(row) + (LOAD(row + 16) - LOAD(row)) * share;
    const eight odd = LOAD(row + 8) + (LOAD(row + 24) - LOAD(row + 8)) * share;
    SUM(left, left_halves, left_output[frame])
    SUM(right, right_halves, right_output[frame])
    ADVANCE
  }
}

#define ONE rows, samples, halves, position, step, change, output, frames
#define PAIR                                                                             \
  rows, left, left_halves, right, right_halves, position, step, change, left_output, \
      right_output, frames

#if defined(__x86_64__)
#define FOR_NEWER __attribute__((target("avx2,fma"))) static void

FOR_NEWER read_one_newer(
    const float *rows, const float *samples, const float *halves, int64_t position, int64_t step,
    int64_t change, float *output, long frames) {
  read_one(ONE);
}

FOR_NEWER read_pair_newer(
    const float *rows, const float *left, const float *left_halves, const float *right,
    const float *right_halves, int64_t position, int64_t step, int64_t change, float *left_output,
    float *right_output, long frames) {
  read_pair(PAIR);
}

// Two words that were filled in when the program was loaded.
ALWAYS_INLINE int is_newer(void) {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#endif

void rt_read_dense(
    const float *rows, const float *samples, const float *halves, int64_t position, int64_t step,
    int64_t change, float *output, long frames) {
#if defined(__x86_64__)
  if (is_newer()) {
    read_one_newer(ONE);
    return;
  }
#endif
  read_one(ONE);
}

void rt_read_dense_pair(
    const float *rows, const float *left, const float *left_halves, const float *right,
    const float *right_halves, int64_t position, int64_t step, int64_t change, float *left_output,
    float *right_output, long frames) {
#if defined(__x86_64__)
  if (is_newer()) {
    read_pair_newer(PAIR);
    return;
  }
#endif
  read_pair(PAIR);
}
