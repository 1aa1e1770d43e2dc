#include "CRealtime.h"
#include "eights.h"

// Most of the studio engine's cost. Nothing is fused, so results are identical on all processors.
// All functions with vector parameters are inlined, so no calling convention can differ.
#pragma clang diagnostic ignored "-Wpsabi"

typedef int32_t angles __attribute__((vector_size(32)));
typedef int32_t loose_angles __attribute__((vector_size(32), aligned(4)));

#define LOAD_ANGLES(pointer) ((angles) * (const loose_angles *)(pointer))
#define STORE_ANGLES(pointer, value) *(loose_angles *)(pointer) = (value)

ALWAYS_INLINE eight choose(angles mask, eight a, eight b) {
  return (eight)((mask & (angles)a) | (~mask & (angles)b));
}
ALWAYS_INLINE eight where(angles mask, eight a) { return (eight)(mask & (angles)a); }
ALWAYS_INLINE eight magnitudes(eight a) { return (eight)((angles)a & 0x7FFFFFFF); }

// Clamps to 0...1.
ALWAYS_INLINE eight between(eight a) {
  a = where(a > 0, a);
  return choose(a < 1, a, (eight){} + 1);
}

// Converts angles in units of 2^-32 cycles to cycles, and back with whole cycles removed, up to
// 2^22.
ALWAYS_INLINE eight to_turns(angles a) { return __builtin_convertvector(a, eight) * 0x1p-32f; }
ALWAYS_INLINE angles from_turns(eight turns) {
  const eight whole = (turns + 12582912.0f) - 12582912.0f;
  return __builtin_convertvector((turns - whole) * 4294967040.0f, angles);
}

// The angles of complex numbers, accurate to 2e-6 rad; 0 for 0.
ALWAYS_INLINE angles angles_of(eight imaginary, eight real) {
  const angles signs = (angles)imaginary & ~0x7FFFFFFF;
  const eight high = magnitudes(imaginary), wide = magnitudes(real);
  const angles steep = high > wide;
  const eight slope = choose(steep, wide, high) / (choose(steep, high, wide) + 1e-37f);
  const eight square = slope * slope;
  // A minimax polynomial for the arc tangent of 0...1, in cycles.
  eight turns = square * -0.0018651583f + 0.00837908604f;
  turns = turns * square - 0.01852985f;
  turns = turns * square + 0.0308029075f;
  turns = turns * square - 0.0529385672f;
  turns = (turns * square + 0.159151317f) * slope;
  turns = choose(steep, 0.25f - turns, turns);
  turns = choose(real < 0, 0.5f - turns, turns);
  turns = (eight)((angles)turns ^ signs);
  return __builtin_convertvector(turns * 4294967040.0f, angles);
}

// Approximate square roots of non-negative numbers, within a 28th; below 1e-19 for 0.
ALWAYS_INLINE eight rough_square_roots(eight a) {
  return (eight)(((angles)a >> 1) + 0x1FBB4F2E);
}

// Divides non-negative numbers by a power of two, given as its exponent in units of 2^-23 and
// interpolated linearly between whole exponents.
ALWAYS_INLINE eight lowered(eight a, eight by) {
  const angles bits = (angles)a - __builtin_convertvector(by, angles);
  return (eight)(bits & ~(bits >> 31));
}

// The sine of -0.25...0.25 cycles, accurate to 1e-6.
ALWAYS_INLINE eight sine_of_turns(eight turns) {
  const eight square = turns * turns;
  const eight sum = (square * -70.9934337f + 81.3407689f) * square - 41.3371424f;
  return (sum * square + 6.28316404f) * turns;
}
ALWAYS_INLINE eight cosines(eight turns) { return sine_of_turns(0.25f - magnitudes(turns)); }
ALWAYS_INLINE eight sines(eight turns) {
  const angles signs = (angles)turns & ~0x7FFFFFFF;
  const eight far = magnitudes(magnitudes(turns) - 0.25f);
  return (eight)((angles)sine_of_turns(0.25f - far) ^ signs);
}

ALWAYS_INLINE float sum(eight a) {
  return ((a[0] + a[4]) + (a[2] + a[6])) + ((a[1] + a[5]) + (a[3] + a[7]));
}

ALWAYS_INLINE void measure(rt_phases *phases, long start, long end, int fused) {
  (void)fused;
  const rt_phases p = *phases;
  const angles lanes = (angles){0, 1, 2, 3, 4, 5, 6, 7} + (int32_t)start;
  // The phase advance of the bins' center frequencies, on the tape and in the stretched signal.
  angles on_tape = lanes * p.tape_bin, in_stretched = lanes * p.stretched_bin;
  eight grown = {}, squares = {}, all = {}, steady = {};
  angles less = {};
  for (long bin = start; bin < end; bin += 8) {
    const eight a_real = LOAD(p.low.real + bin), a_imaginary = LOAD(p.low.imaginary + bin);
    const eight b_real = LOAD(p.high.real + bin), b_imaginary = LOAD(p.high.imaginary + bin);
    const eight power = a_real * a_real + a_imaginary * a_imaginary
                        + (b_real * b_real + b_imaginary * b_imaginary);
    STORE(p.power + bin, power);

    eight c_real = LOAD(p.low.real + bin + 1), c_imaginary = LOAD(p.low.imaginary + bin + 1);
    eight d_real = LOAD(p.high.real + bin + 1), d_imaginary = LOAD(p.high.imaginary + bin + 1);
    const eight to_next = to_turns(angles_of(
        c_imaginary * a_real - c_real * a_imaginary
            + (d_imaginary * b_real - d_real * b_imaginary),
        c_real * a_real + c_imaginary * a_imaginary
            + (d_real * b_real + d_imaginary * b_imaginary)));
    STORE_ANGLES(p.across + bin, from_turns(to_next * p.further_across));
    if (p.goes_far) {
      STORE(p.gains + bin, between((0.75f - magnitudes(to_next) * p.stretch) * 8));
    }

    c_real = LOAD(p.low_before.real + bin), c_imaginary = LOAD(p.low_before.imaginary + bin);
    d_real = LOAD(p.high_before.real + bin), d_imaginary = LOAD(p.high_before.imaginary + bin);
    const angles moved = angles_of(
        a_imaginary * c_real - a_real * c_imaginary
            + (b_imaginary * d_real - b_real * d_imaginary),
        a_real * c_real + a_imaginary * c_imaginary
            + (b_real * d_real + b_imaginary * d_imaginary));
    const angles turn = LOAD_ANGLES(p.turns + bin);
    eight wander = LOAD(p.wanders + bin);
    angles before = LOAD_ANGLES(p.deviations + bin);
    if (p.is_leap) {
      // The frequency from before the jump carries the phase across it.
      STORE_ANGLES(
          p.ahead + bin, turn - moved + in_stretched + from_turns(to_turns(before) * p.further));
    } else {
      const angles deviation = moved - on_tape;
      // If hops differ in length, scales the previous deviation to the current one.
      if (p.lengthened != 1) before = from_turns(to_turns(before) * p.lengthened);
      wander = wander * p.memory + magnitudes(to_turns(deviation - before)) * p.learnt;
      STORE(p.wanders + bin, wander);
      STORE_ANGLES(p.deviations + bin, deviation);
      STORE_ANGLES(
          p.ahead + bin,
          turn + (in_stretched - on_tape) + from_turns(to_turns(deviation) * p.further));
    }

    const eight firm = LOAD(p.power_before + bin) * p.habit;
    const eight far = between(wander * p.by_wander - 1) * p.looser;
    STORE(p.owns + bin, lowered(firm, far * LOAD(p.looseness + bin)));
    const angles has_grown = firm < power;
    const eight chosen = where(has_grown, to_next);
    grown += chosen;
    squares += chosen * chosen;
    less += has_grown;
    STORE(p.grown_to_next + bin, choose(has_grown, to_next, (eight){} + 4));
    const eight magnitude = rough_square_roots(power);
    all += magnitude;
    steady += where(wander < p.least_wander, magnitude);
    on_tape += 8 * p.tape_bin;
    in_stretched += 8 * p.stretched_bin;
  }
  phases->grown += sum(grown);
  phases->squares += sum(squares);
  int32_t count = 0;
  for (int lane = 0; lane < 8; ++lane) count -= less[lane];
  phases->grown_count += count;
  phases->magnitudes += sum(all);
  phases->steady_magnitudes += sum(steady);
}

ALWAYS_INLINE void turn(const rt_turning *turning, long start, long end, int fused) {
  (void)fused;
  const rt_turning p = *turning;
  for (long bin = start; bin < end; bin += 8) {
    const angles mask = LOAD_ANGLES(p.follows_right + bin);
    angles turn = (LOAD_ANGLES(p.turns_right + bin) & mask) | (LOAD_ANGLES(p.turns + bin) & ~mask);
    if (p.fades) turn -= turn >> 4;
    STORE_ANGLES(p.turns + bin, turn);
    const eight turns = to_turns(turn);
    eight real = cosines(turns), imaginary = sines(turns);
    if (p.gains) real *= LOAD(p.gains + bin), imaginary *= LOAD(p.gains + bin);
    eight a = LOAD(p.low.real + bin), b = LOAD(p.low.imaginary + bin);
    STORE(p.real + bin, a * real - b * imaginary);
    STORE(p.imaginary + bin, a * imaginary + b * real);
    a = LOAD(p.high.real + bin), b = LOAD(p.high.imaginary + bin);
    const eight mirrored = a * real - b * imaginary, conjugate = -(a * imaginary + b * real);
    // The first bin is mirrored only here, one past the last.
    STORE(p.real + (p.size - bin - 7),
          __builtin_shufflevector(mirrored, mirrored, 7, 6, 5, 4, 3, 2, 1, 0));
    STORE(p.imaginary + (p.size - bin - 7),
          __builtin_shufflevector(conjugate, conjugate, 7, 6, 5, 4, 3, 2, 1, 0));
  }
}

DISPATCHED(
    void, rt_measure_phases, (rt_phases *phases, long start, long end), measure, phases, start, end)

DISPATCHED(
    void, rt_turn_phases, (const rt_turning *turning, long start, long end), turn, turning, start,
    end)
