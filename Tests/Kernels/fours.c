// The header's operations on four numbers at once: their lanes, their accuracy, and digests of their
// bits.
#include "check.h"

#include <CRealtime.h>
#include <math.h>

#pragma clang fp contract(off)

static const double turn = 4294967296.0;

// Numbers from 2^-60 to 2^60 and their negatives, and some special values.
static rt_four random_four(void) {
  static const float special[] = {0, -0.0f, 1, -1, 0.25f, 0.5f, -0.5f};
  rt_four result;
  for (int lane = 0; lane < 4; lane++)
    result[lane] = random_whole(0, 7) == 0 ? special[random_whole(0, 6)]
                                           : ldexpf(random_number(), (int)random_whole(-60, 60));
  return result;
}

// The distance between two angles, in turns.
static double apart(int32_t a, double turns) {
  const double difference = (double)a / turn - turns;
  return fabs(difference - nearbyint(difference));
}

static void check_orders(void) {
  const rt_four a = {0, 1, 2, 3}, b = {4, 5, 6, 7};
  const rt_four got[] = {rt_interleave_low(a, b), rt_interleave_high(a, b), rt_reversed(a)};
  static const float wanted[][4] = {{0, 4, 1, 5}, {2, 6, 3, 7}, {3, 2, 1, 0}};
  for (int order = 0; order < 3; order++)
    for (int lane = 0; lane < 4; lane++)
      if (got[order][lane] != wanted[order][lane])
        fault("order %d is wrong in lane %d", order, lane);
}

static void check_choices(void) {
  const float none = NAN;
  for (int round = 0; round < 2000; round++) {
    rt_four a = random_four(), b = random_four();
    if (round % 16 == 0) a[round / 16 % 4] = none;
    const rt_four_angles less = rt_less(a, b), not_less = rt_not_less(a, b);
    const rt_four chosen = rt_choose(less, a, b), there = rt_where(less, a);
    const rt_four width = rt_magnitudes(a);
    const rt_four_angles picked = rt_pick(less, (rt_four_angles)a, (rt_four_angles)b);
    const rt_four_angles either = rt_or(less, not_less), both = rt_and(less, not_less);
    const rt_four_angles other = rt_and_not(less, not_less);
    const rt_four kept = rt_between(-0.5f, a, 0.75f);
    for (int lane = 0; lane < 4; lane++) {
      const float x = a[lane], y = b[lane], wanted = x < y ? x : y;
      const int is_known = !isnan(x);
      if (less[lane] != -(x < y) || not_less[lane] != -(x >= y))
        fault("wrong comparison of %g and %g", x, y);
      if (either[lane] != -is_known || both[lane] != 0 || other[lane] != -(x >= y))
        fault("wrong masks for %g and %g", x, y);
      if (bits(chosen[lane]) != bits(wanted) || (uint32_t)picked[lane] != bits(wanted))
        fault("%g is selected from %g and %g", chosen[lane], x, y);
      if (bits(there[lane]) != (x < y ? bits(x) : 0)) fault("%g is left of %g", there[lane], x);
      if (bits(width[lane]) != (bits(x) & 0x7FFFFFFF))
        fault("the magnitude of %g is %g", x, width[lane]);
      const float limited = !(x > -0.5f) ? -0.5f : x < 0.75f ? x : 0.75f;
      if (bits(kept[lane]) != bits(limited)) fault("%g between -0.5 and 0.75 is %g", x, kept[lane]);
    }
  }
}

static void check_turns(void) {
  digest turns = {0};
  for (int round = 0; round < 20000; round++) {
    rt_four_angles angles;
    for (int lane = 0; lane < 4; lane++) angles[lane] = (int32_t)random_whole(INT32_MIN, INT32_MAX);
    const rt_four part = rt_to_turns(angles);
    // Up to 2^22 whole turns; the last bits are the fraction.
    const rt_four many = random_four() * 0x1p-40f + (float)random_whole(-4000000, 4000000) / 4;
    const rt_four_angles within = rt_from_turns(many);
    take(&turns, &part, sizeof part);
    take(&turns, &within, sizeof within);
    for (int lane = 0; lane < 4; lane++) {
      // The rounding error of 24 bits.
      if (!(apart(angles[lane], part[lane]) <= 0x1p-25))
        fault("%d are %g turns", angles[lane], part[lane]);
      if (!(apart(within[lane], many[lane]) <= 0x1p-24))
        fault("%.9g turns are %d", many[lane], within[lane]);
    }
  }
  print_digest("rt_to_, rt_from_turns", &turns);
}

void check_fours(void) {
  check_orders();
  check_choices();
  check_turns();
}
