// Conversion to 16 bits and back: rounded to nearest, ties to even, and clipped to the range.
#include "check.h"

#include <CRealtime.h>
#include <math.h>

#pragma clang fp contract(off)

enum { most = 300, room = most + 8 };

static const int16_t untouched = 0x5A5A;

static int16_t narrowed(float number) {
  if (number > 32767) return 32767;
  if (number < -32768) return -32768;
  return (int16_t)lrintf(number);
}

static void check_every_number(void) {
  for (int32_t number = -32768; number <= 32767; number++) {
    const int16_t from = (int16_t)number;
    const float halfway = (float)number + 0.5f;
    float wide;
    int16_t back, rounded;
    rt_widen(&from, &wide, 1);
    rt_narrow(&wide, &back, 1, 1);
    rt_narrow(&halfway, &rounded, 1, 1);
    if (wide != (float)number || back != from) fault("%d becomes %g, and then %d", number, wide, back);
    if (rounded != narrowed(halfway)) fault("%g is rounded to %d", halfway, rounded);
  }
}

void check_narrow(void) {
  static float numbers[room], wide[room];
  static int16_t shorts[room];
  digest all = {0};
  check_every_number();
  for (int turn = 0; turn < 1000; turn++) {
    const long count = turn < 200 ? turn : random_whole(0, most);
    const long from = random_whole(0, 3), to = random_whole(0, 3);
    // Some are out of range.
    const float gain = turn % 2 ? 32767 / 1.25f : 60000;
    fill(numbers, room);
    for (long at = 0; at < room; at++) shorts[at] = untouched;
    rt_narrow(numbers + from, shorts + to, gain, count);
    for (long at = 0; at < room; at++) {
      const int is_within = at >= to && at < to + count;
      const int16_t wanted = is_within ? narrowed(numbers[at - to + from] * gain) : untouched;
      if (shorts[at] != wanted) fault("got %d in a run of %ld, expected %d", shorts[at], count, wanted);
    }
    take(&all, shorts, sizeof shorts);
    rt_widen(shorts + to, wide + from, count);
    for (long at = 0; at < count; at++)
      if (wide[from + at] != (float)shorts[to + at])
        fault("%d becomes %g in a run of %ld", shorts[to + at], wide[from + at], count);
  }
  print_digest("rt_narrow", &all);
}
