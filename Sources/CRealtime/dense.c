#include "CRealtime.h"
#include "eights.h"

// Most of the cost of a sampler voice.

// The start of a read: the row, the share of the next row, and the first sample of both kinds.
#define LOCATE                                              \
  const uint32_t fraction = (uint32_t)position;             \
  const long place = fraction >> 24, late = place >> 7;     \
  const long index = (long)(position >> 32);                \
  const float *row = rows + (place + late) * 16;            \
  const float share = (float)(int32_t)(fraction & 0xFFFFFF) * 0x1p-24f;

#define ADVANCE     \
  position += step; \
  step += change;

// The weighted samples of one output, half summed.
#define READ(sum)                                                                         \
  {                                                                                       \
    LOCATE                                                                                \
    const eight even = LOAD(samples + index - 3), odd = LOAD(halves + index - 4 + late);  \
    const eight here = ADDED(odd * LOAD(row + 8), even, LOAD(row));                       \
    const eight next = ADDED(odd * LOAD(row + 24), even, LOAD(row + 16));                 \
    const eight mixed = ADDED(here, next - here, share - (eight){});                      \
    sum = FOLD(mixed);                                                                    \
    ADVANCE                                                                               \
  }

ALWAYS_INLINE void read_one(
    const float *rows, const float *samples, const float *halves, int64_t position, int64_t step,
    int64_t change, float *output, long frames, int fused) {
  for (long frame = 0; frame < frames; frame += 4) {
    four a, b, c, d;
    READ(a)
    READ(b)
    READ(c)
    READ(d)
    const four ab = FOLD_BOTH(a, b), cd = FOLD_BOTH(c, d);
    *(loose_four *)(output + frame) = __builtin_shufflevector(ab, cd, 0, 1, 4, 5)
                                      + __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
  }
}

// The weighted samples of one channel, half summed.
#define WEIGHTED(sum, from, between)                                                               \
  {                                                                                                \
    const eight all = ADDED(LOAD(between + index - 4 + late) * odd, LOAD(from + index - 3), even); \
    sum = FOLD(all);                                                                               \
  }

ALWAYS_INLINE void read_pair(
    const float *rows, const float *left, const float *left_halves, const float *right,
    const float *right_halves, int64_t position, int64_t step, int64_t change, float *left_output,
    float *right_output, long frames, int fused) {
  for (long frame = 0; frame < frames; ++frame) {
    LOCATE
    const eight part = share - (eight){};
    const eight even = ADDED(LOAD(row), LOAD(row + 16) - LOAD(row), part);
    const eight odd = ADDED(LOAD(row + 8), LOAD(row + 24) - LOAD(row + 8), part);
    four to_left, to_right;
    WEIGHTED(to_left, left, left_halves)
    WEIGHTED(to_right, right, right_halves)
    const four quarters = FOLD_BOTH(to_left, to_right);
    const four both = quarters + __builtin_shufflevector(quarters, quarters, 2, 3, 0, 1);
    left_output[frame] = both[0];
    right_output[frame] = both[1];
    ADVANCE
  }
}

DISPATCHED(
    void, rt_read_dense,
    (const float *rows, const float *samples, const float *halves, int64_t position, int64_t step,
     int64_t change, float *output, long frames),
    read_one, rows, samples, halves, position, step, change, output, frames)

DISPATCHED(
    void, rt_read_dense_pair,
    (const float *rows, const float *left, const float *left_halves, const float *right,
     const float *right_halves, int64_t position, int64_t step, int64_t change, float *left_output,
     float *right_output, long frames),
    read_pair, rows, left, left_halves, right, right_halves, position, step, change, left_output,
    right_output, frames)
