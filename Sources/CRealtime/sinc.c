#include "CRealtime.h"
#include "eights.h"

// Most of the cost of resampling.

// The start of a read: the row, the share of the next row, and the first sample.
#define LOCATE                                                          \
  const uint32_t fraction = (uint32_t)position;                         \
  const float *row = rows + (long)(fraction >> 24) * taps;              \
  const float share = (float)(int32_t)(fraction & 0xFFFFFF) * 0x1p-24f; \
  const eight part = share - (eight){};                                 \
  const long first = (long)(position >> 32) - (taps / 2 - 1);

// Eight weights, interpolated between two rows.
#define WEIGHTS(at) ADDED(LOAD(row + at), LOAD(row + taps + at) - LOAD(row + at), part)

ALWAYS_INLINE void read_sinc(
    const float *rows, long taps, const float *samples, int64_t position, int64_t step,
    float *output, long frames, int fused) {
  for (long frame = 0; frame < frames; ++frame) {
    LOCATE
    eight one = {0}, other = {0};
    for (long tap = 0; tap < taps; tap += 16) {
      one = ADDED(one, LOAD(samples + first + tap), WEIGHTS(tap));
      other = ADDED(other, LOAD(samples + first + tap + 8), WEIGHTS(tap + 8));
    }
    const eight all = one + other;
    const four sum = FOLD(all);
    output[frame] = (sum[0] + sum[2]) + (sum[1] + sum[3]);
    position += step;
  }
}

ALWAYS_INLINE void read_sinc_pair(
    const float *rows, long taps, const float *left, const float *right, int64_t position,
    int64_t step, float *left_output, float *right_output, long frames, int fused) {
  for (long frame = 0; frame < frames; ++frame) {
    LOCATE
    eight left_one = {0}, left_other = {0}, right_one = {0}, right_other = {0};
    for (long tap = 0; tap < taps; tap += 16) {
      const eight weights = WEIGHTS(tap), others = WEIGHTS(tap + 8);
      left_one = ADDED(left_one, LOAD(left + first + tap), weights);
      right_one = ADDED(right_one, LOAD(right + first + tap), weights);
      left_other = ADDED(left_other, LOAD(left + first + tap + 8), others);
      right_other = ADDED(right_other, LOAD(right + first + tap + 8), others);
    }
    const eight to_left = left_one + left_other, to_right = right_one + right_other;
    const four of_left = FOLD(to_left), of_right = FOLD(to_right);
    const four quarters = FOLD_BOTH(of_left, of_right);
    left_output[frame] = quarters[0] + quarters[2];
    right_output[frame] = quarters[1] + quarters[3];
    position += step;
  }
}

DISPATCHED(
    void, rt_read_sinc,
    (const float *rows, long taps, const float *samples, int64_t position, int64_t step,
     float *output, long frames),
    read_sinc, rows, taps, samples, position, step, output, frames)

DISPATCHED(
    void, rt_read_sinc_pair,
    (const float *rows, long taps, const float *left, const float *right, int64_t position,
     int64_t step, float *left_output, float *right_output, long frames),
    read_sinc_pair, rows, taps, left, right, position, step, left_output, right_output, frames)
