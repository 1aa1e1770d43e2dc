// The phases of the studio engine: single bins, at the kernels' documented accuracy, and digests of all
// results.
#include "check.h"

#include <CRealtime.h>
#include <math.h>
#include <string.h>

#pragma clang fp contract(off)

enum { most_size = 1024, room = most_size / 2 + 32, frames = 12 };

static const double turn = 4294967296.0;

// A frame's bins of both transforms, and the state of each bin, all unaligned.
typedef struct {
  float parts[2][4][room], power[2][room], looseness[room], owns[room], wanders[room], gains[room];
  float grown_to_next[room], real[most_size + 16], imaginary[most_size + 16];
  int32_t turns[room], across[room], ahead[room], deviations[room], turns_right[room], masks[room];
} bench;

static bench memory;

typedef struct {
  double real, imaginary;
} number;

static number at(rt_planar bins, long bin) { return (number){bins.real[bin], bins.imaginary[bin]}; }
static number times(number a, number b) {
  return (number){a.real * b.real - a.imaginary * b.imaginary,
                  a.real * b.imaginary + a.imaginary * b.real};
}
static number conjugate(number a) { return (number){a.real, -a.imaginary}; }
static double size_of(number a) { return hypot(a.real, a.imaginary); }

// The distance between two angles, in turns.
static double apart(double a, double b) { return fabs(a - b - nearbyint(a - b)); }

// The phase advance of both pairs' sum, in turns; NaN if they cancel.
static double together(number a, number b, number c, number d) {
  const number first = times(b, conjugate(a)), second = times(d, conjugate(c));
  const number sum = {first.real + second.real, first.imaginary + second.imaginary};
  if (size_of(sum) <= 0.1 * (size_of(first) + size_of(second))) return NAN;
  return atan2(sum.imaginary, sum.real) / (2 * M_PI);
}

static void check_measured(
    const rt_phases *p, long bin, const float *wanders, const int32_t *deviations) {
  const number a = at(p->low, bin), b = at(p->high, bin);
  const double power = pow(size_of(a), 2) + pow(size_of(b), 2);
  if (!(fabs(p->power[bin] - power) <= 1e-6 * power))
    fault("the power of bin %ld is %g, not %g", bin, p->power[bin], power);
  const double to_next = together(a, at(p->low, bin + 1), b, at(p->high, bin + 1));
  // The documented accuracy is 2e-6 rad, a third of this; sums that nearly cancel are less accurate.
  const double least = 1e-6;
  const double across = p->across[bin] / turn, wanted = to_next * p->further_across;
  if (!isnan(to_next) && !(apart(across, wanted) <= least * fmax(1, fabs(p->further_across))))
    fault("the phase advance from bin %ld to the next is %g turns, not %g", bin, across, wanted);
  const double moved = together(at(p->low_before, bin), a, at(p->high_before, bin), b);
  const double on_tape = (uint32_t)bin * (uint32_t)p->tape_bin / turn;
  const double deviation = p->deviations[bin] / turn;
  if (isnan(moved)) return;
  if (!p->is_leap && !(apart(deviation, moved - on_tape) <= least))
    fault("the deviation of bin %ld from its center is %g turns, not %g", bin, deviation, moved - on_tape);
  if (!p->is_leap) return;
  if (p->deviations[bin] != deviations[bin] || bits(p->wanders[bin]) != bits(wanders[bin]))
    fault("bin %ld changes its frequency at a jump", bin);
}

static rt_phases random_phases(int frame, int size) {
  const int now = frame & 1;
  rt_phases p = {
      .low = {memory.parts[now][0] + frame % 5, memory.parts[now][1] + frame % 3},
      .high = {memory.parts[now][2] + frame % 7, memory.parts[now][3] + 1},
      .low_before = {memory.parts[!now][0] + 2, memory.parts[!now][1] + frame % 4},
      .high_before = {memory.parts[!now][2], memory.parts[!now][3] + frame % 6},
      .power = memory.power[now] + 3, .power_before = memory.power[!now] + 3,
      .looseness = memory.looseness, .turns = memory.turns + 1, .owns = memory.owns + frame % 8,
      .wanders = memory.wanders + 1, .gains = memory.gains + 5, .across = memory.across + 2,
      .grown_to_next = memory.grown_to_next, .ahead = memory.ahead + 7,
      .deviations = memory.deviations,
      .is_leap = frame % 4 == 3, .goes_far = frame % 3 == 1, .habit = 2, .looser = frame % 6 != 5,
      .memory = 0.8f, .by_wander = 1 / 0.006f, .least_wander = 0.009f,
      .lengthened = frame % 2 ? 1 : 1.25f, .learnt = frame ? 0.2f : 0,
  };
  const int32_t per_bin = (int32_t)((1ll << 32) / size);
  p.stretch = 1 + 2 * fabsf(random_number());
  p.tape_bin = (int32_t)random_whole(32, 200) * per_bin;
  p.stretched_bin = (int32_t)random_whole(32, 200) * per_bin;
  p.further = random_number();
  p.further_across = p.stretch - 1;
  return p;
}

static void measure(digest *digest, int frame, int size) {
  const int bins = size / 2 + 1;
  for (int part = 0; part < 4; part++) fill(memory.parts[frame & 1][part], room);
  float wanders[room];
  int32_t deviations[room];
  rt_phases p = random_phases(frame, size);
  memcpy(wanders, p.wanders, (size_t)(bins + 8) * 4);
  memcpy(deviations, p.deviations, (size_t)(bins + 8) * 4);
  // In slices; the last one has four bins, and is measured as eight.
  for (long start = 0; start < bins;) {
    const long last = bins & ~7, far = start + 8 * random_whole(1, 8);
    const long end = start == last ? last + 4 : far < last ? far : last;
    rt_measure_phases(&p, start, end);
    start = end;
  }
  for (long bin = 0; bin < bins; bin++) check_measured(&p, bin, wanders, deviations);
  const long count = bins * 4;
  take(digest, p.power, count), take(digest, p.owns, count), take(digest, p.wanders, count);
  take(digest, p.grown_to_next, count), take(digest, p.across, count), take(digest, p.ahead, count);
  take(digest, p.deviations, count);
  if (p.goes_far) take(digest, p.gains, count);
  const float sums[] = {
      p.grown, p.squares, p.magnitudes, p.steady_magnitudes, (float)p.grown_count};
  take(digest, sums, sizeof sums);
}

static void compare(const char *part, long bin, float is, double should_be) {
  // Sines are accurate to 1e-6, and no magnitude here exceeds 1 in both parts.
  if (!(fabs(is - should_be) <= 3e-6))
    fault("the %s part of rotated bin %ld is %g, not %g", part, bin, is, should_be);
}

static void turn_all(digest *digest, int frame, int size) {
  const int now = frame & 1;
  for (long bin = 0; bin < room; bin++) {
    memory.masks[bin] = random_number() < 0 ? -1 : 0;
    memory.turns_right[bin] = (int32_t)random_whole(INT32_MIN, INT32_MAX);
    memory.gains[bin] = fabsf(random_number());
  }
  rt_turning p = {
      .low = {memory.parts[now][0] + 1, memory.parts[now][1] + 2},
      .high = {memory.parts[now][2] + 3, memory.parts[now][3]},
      .follows_right = memory.masks + frame % 5, .turns_right = memory.turns_right + 1,
      .gains = frame % 2 ? memory.gains + 3 : 0, .turns = memory.turns + 1, .size = size,
      .real = memory.real + frame % 3, .imaginary = memory.imaginary + frame % 4,
      .fades = frame % 4 == 2,
  };
  int32_t before[room];
  memcpy(before, p.turns, (size_t)(size / 2) * 4);
  for (long start = 0, end; start < size / 2; start = end) {
    end = start + 8 * random_whole(1, 8);
    if (end > size / 2) end = size / 2;
    rt_turn_phases(&p, start, end);
  }
  for (long bin = 0; bin < size / 2; bin++) {
    int32_t angle = p.follows_right[bin] ? p.turns_right[bin] : before[bin];
    if (p.fades) angle -= angle >> 4;
    if (p.turns[bin] != angle) fault("the rotation of bin %ld is %d, not %d", bin, p.turns[bin], angle);
    const double gain = p.gains ? p.gains[bin] : 1, radians = 2 * M_PI * angle / turn;
    const number factor = {gain * cos(radians), gain * sin(radians)};
    const number low = times(at(p.low, bin), factor), high = times(at(p.high, bin), factor);
    // The high bins come last, in reverse. The position of the first one, after the end, is not
    // written.
    compare("real", bin, p.real[bin], low.real);
    compare("imaginary", bin, p.imaginary[bin], low.imaginary);
    if (bin == 0) continue;
    compare("real", size - bin, p.real[size - bin], high.real);
    compare("imaginary", size - bin, p.imaginary[size - bin], -high.imaginary);
  }
  take(digest, p.turns, size * 2);
  // Except the middle one, which is not written.
  take(digest, p.real, size * 2), take(digest, p.imaginary, size * 2);
  const long far = size / 2 + 1, count = size * 2 - 4;
  take(digest, p.real + far, count), take(digest, p.imaginary + far, count);
}

void check_phases(void) {
  digest measured = {0}, turned = {0};
  for (int size = 64; size <= most_size; size *= 2) {
    memset(&memory, 0, sizeof memory);
    for (long bin = 0; bin < room; bin++) memory.looseness[bin] = 2.8e7f * fabsf(random_number());
    for (int frame = 0; frame < frames; frame++) {
      measure(&measured, frame, size);
      turn_all(&turned, frame, size);
    }
  }
  print_digest("rt_measure_phases", &measured);
  print_digest("rt_turn_phases", &turned);
}
