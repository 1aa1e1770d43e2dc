// Interpolated reading, compared bit for bit with a scalar reference.
#include "check.h"

#include <CRealtime.h>
#include <string.h>

#pragma clang fp contract(off)

enum { reach = 4096, most_frames = 256, row_count = 258, most_apart = 16 };

typedef struct {
  int64_t position, step, change;
} way;

static float rows[row_count * 16 + most_apart];
static float samples[2][reach + most_apart], halves[2][reach + most_apart];
// A marker after the last frame, which must not be written.
static float results[2][most_frames + most_apart + 8];
static const float untouched = 12345;

// Adds eight weighted samples in the order of the kernels.
static float added_up(const float *eight) {
  float four[4];
  for (int at = 0; at < 4; at++) four[at] = eight[at] + eight[at + 4];
  return (four[0] + four[2]) + (four[1] + four[3]);
}

typedef struct {
  const float *row;
  long index, late;
  float share;
} place;

static place locate(const float *from, int64_t position) {
  const uint32_t fraction = (uint32_t)position;
  place here = {.late = fraction >> 31, .index = (long)(position >> 32)};
  here.row = from + ((fraction >> 24) + here.late) * 16;
  here.share = (float)(fraction & 0xFFFFFF) / 16777216;
  return here;
}

// One channel: the sums of two rows, interpolated.
static float read_alone(place p, const float *even, const float *odd) {
  float mixed[8];
  even += p.index - 3;
  odd += p.index - 4 + p.late;
  for (int at = 0; at < 8; at++) {
    const float here = added(odd[at] * p.row[at + 8], even[at], p.row[at]);
    const float next = added(odd[at] * p.row[at + 24], even[at], p.row[at + 16]);
    mixed[at] = added(here, next - here, p.share);
  }
  return added_up(mixed);
}

// One of two channels: the sum with an interpolated row.
static float read_beside(place p, const float *even, const float *odd) {
  float all[8];
  even += p.index - 3;
  odd += p.index - 4 + p.late;
  for (int at = 0; at < 8; at++) {
    const float *row = p.row + at;
    const float weight = added(row[0], row[16] - row[0], p.share);
    const float other = added(row[8], row[24] - row[8], p.share);
    all[at] = added(odd[at] * other, even[at], weight);
  }
  return added_up(all);
}

static void compare(
    const char *name, int side, long frame, long frames, float is, float should_be) {
  if (bits(is) == bits(should_be)) return;
  fault("%s: frame %ld of %ld, side %d, is %.9g; the scalar reference is %.9g", name, frame, frames,
        side, is, should_be);
}

// A path through the samples that stays within them, forward or backward.
static way random_way(long frames) {
  way way = {.step = random_whole(-(4l << 32), 4l << 32), .change = random_whole(-100000, 100000)};
  switch (random_whole(0, 3)) {
    case 0: way.change = 0; break;
    case 1: way.step = 1l << 32, way.change = 0; break;
  }
  const long far = 5 * frames;
  way.position = (random_whole(far + 8, reach - far - 8) << 32) + random_whole(0, 0xFFFFFFFF);
  // Fractions at the ends of the table, and at the boundaries between rows.
  static const uint32_t ends[] = {0, 0xFFFFFF, 0x1000000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF};
  if (random_whole(0, 3) == 0)
    way.position = (way.position & ~0xFFFFFFFFl) | ends[random_whole(0, 5)];
  return way;
}

static void clear(void) {
  for (int side = 0; side < 2; side++)
    for (long at = 0; at < most_frames + most_apart + 8; at++) results[side][at] = untouched;
}

void check_reading(void) {
  fill(rows, row_count * 16 + most_apart);
  for (int side = 0; side < 2; side++) {
    fill(samples[side], reach + most_apart);
    fill(halves[side], reach + most_apart);
  }
  digest one = {0}, pair = {0};
  for (int turn = 0; turn < 600; turn++) {
    const long frames = turn < 32 ? 4 * turn + 4 : 4 * random_whole(1, most_frames / 4);
    // Buffers need only the alignment of a float.
    const float *row = rows + random_whole(0, most_apart - 1);
    const float *even[2], *odd[2];
    float *result[2];
    for (int side = 0; side < 2; side++) {
      even[side] = samples[side] + random_whole(0, most_apart - 1);
      odd[side] = halves[side] + random_whole(0, most_apart - 1);
      result[side] = results[side] + random_whole(0, most_apart - 1);
    }
    const way way = random_way(frames);

    clear();
    rt_read_dense(row, even[0], odd[0], way.position, way.step, way.change, result[0], frames);
    take(&one, result[0], frames * 4);
    int64_t position = way.position, step = way.step;
    for (long frame = 0; frame < frames; frame++) {
      compare("rt_read_dense", 0, frame, frames, result[0][frame],
              read_alone(locate(row, position), even[0], odd[0]));
      position += step;
      step += way.change;
    }
    if (result[0][frames] != untouched) fault("rt_read_dense writes more than %ld frames", frames);

    // A pair is read frame by frame, at any length.
    clear();
    const long count = frames - random_whole(0, 3);
    rt_read_dense_pair(row, even[0], odd[0], even[1], odd[1], way.position, way.step, way.change,
                       result[0], result[1], count);
    position = way.position, step = way.step;
    for (int side = 0; side < 2; side++) take(&pair, result[side], count * 4);
    for (long frame = 0; frame < count; frame++) {
      const place here = locate(row, position);
      for (int side = 0; side < 2; side++)
        compare("rt_read_dense_pair", side, frame, count, result[side][frame],
                read_beside(here, even[side], odd[side]));
      position += step;
      step += way.change;
    }
    for (int side = 0; side < 2; side++)
      if (result[side][count] != untouched)
        fault("rt_read_dense_pair writes more than %ld frames", count);
  }
  print_digest("rt_read_dense", &one);
  print_digest("rt_read_dense_pair", &pair);
}
