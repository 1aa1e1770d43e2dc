// Interpolated reading with long kernels, compared bit for bit with a scalar reference, and with exact sums
// within the rounding error.
#include "check.h"

#include <CRealtime.h>
#include <math.h>

#pragma clang fp contract(off)

enum { reach = 4096, most_frames = 96, most_taps = 128, row_count = 257, most_apart = 16 };

static float rows[row_count * most_taps + most_apart];
static float samples[2][reach + most_apart];
// A marker after the last frame, which must not be written.
static float results[2][most_frames + most_apart + 1];
static const float untouched = 12345;

// One frame of one channel: two groups of eight interleaved sums, added in the order of the kernels.
static float read_here(const float *row, long taps, const float *from, int64_t position) {
  const uint32_t fraction = (uint32_t)position;
  const float share = (float)(fraction & 0xFFFFFF) / 16777216;
  const float *here = row + (long)(fraction >> 24) * taps, *next = here + taps;
  const float *first = from + (position >> 32) - (taps / 2 - 1);
  float sums[16] = {0}, eight[8];
  double exact = 0, width = 0;
  for (long tap = 0; tap < taps; tap++) {
    const float weight = added(here[tap], next[tap] - here[tap], share);
    sums[tap % 16] = added(sums[tap % 16], first[tap], weight);
    const double between = here[tap] + ((double)next[tap] - here[tap]) * share;
    exact += first[tap] * between;
    width += fabs(first[tap]) * (fabs(here[tap]) + fabs(next[tap]));
  }
  for (int at = 0; at < 8; at++) eight[at] = sums[at] + sums[at + 8];
  float four[4];
  for (int at = 0; at < 4; at++) four[at] = eight[at] + eight[at + 4];
  const float all = (four[0] + four[2]) + (four[1] + four[3]);
  // A weight is rounded at most three times, each of sixteen sums twice per sample, and their sum four times.
  if (!(fabs(all - exact) <= (double)(taps / 8 + 8) * 0x1p-24 * width))
    fault("%ld taps give %.9g; the exact sum is %.9g", taps, all, exact);
  return all;
}

static void compare(
    const char *name, const float *row, long taps, const float *from, int64_t position,
    int64_t step, const float *output, long frames) {
  for (long frame = 0; frame < frames; frame++, position += step) {
    const float should_be = read_here(row, taps, from, position);
    if (bits(output[frame]) != bits(should_be))
      fault("%s: frame %ld of %ld with %ld taps is %.9g; the scalar reference is %.9g", name, frame,
            frames, taps, output[frame], should_be);
  }
  if (output[frames] != untouched) fault("%s writes more than %ld frames", name, frames);
}

void check_sinc(void) {
  fill(rows, row_count * most_taps + most_apart);
  for (int side = 0; side < 2; side++) fill(samples[side], reach + most_apart);
  digest one = {0}, pair = {0};
  for (int turn = 0; turn < 400; turn++) {
    const long frames = random_whole(1, most_frames), taps = 16 * random_whole(1, most_taps / 16);
    // Buffers need only the alignment of a float.
    const float *row = rows + random_whole(0, most_apart - 1), *from[2];
    float *result[2];
    for (int side = 0; side < 2; side++) {
      from[side] = samples[side] + random_whole(0, most_apart - 1);
      result[side] = results[side] + random_whole(0, most_apart - 1);
    }
    int64_t position = (random_whole(most_taps, reach / 4) << 32) + random_whole(0, 0xFFFFFFFF);
    // Fractions at the ends of the table, and at the boundaries between rows.
    static const uint32_t ends[] = {0, 0xFFFFFF, 0x1000000, 0xFF000000, 0xFFFFFFFF};
    if (random_whole(0, 3) == 0)
      position = (position & ~0xFFFFFFFFl) | ends[random_whole(0, 4)];
    int64_t step = random_whole(0, 4l << 32);
    if (random_whole(0, 3) == 0) step = 1l << 32;

    for (int side = 0; side < 2; side++)
      for (long at = 0; at < most_frames + most_apart + 1; at++) results[side][at] = untouched;
    rt_read_sinc(row, taps, from[0], position, step, result[0], frames);
    take(&one, result[0], frames * 4);
    compare("rt_read_sinc", row, taps, from[0], position, step, result[0], frames);
    for (long at = 0; at < most_frames + most_apart + 1; at++) results[0][at] = untouched;
    rt_read_sinc_pair(
        row, taps, from[0], from[1], position, step, result[0], result[1], frames);
    for (int side = 0; side < 2; side++) {
      take(&pair, result[side], frames * 4);
      compare("rt_read_sinc_pair", row, taps, from[side], position, step, result[side], frames);
    }
  }
  print_digest("rt_read_sinc", &one);
  print_digest("rt_read_sinc_pair", &pair);
}
