// The phases of the studio engine for one vector width, included once per width: `VECTOR` and `ANGLES` are LANES
// floats and integers, `GATHER` adds to a sum eight values at a time, and `NAMED` makes a name unique where no
// parameter does.

typedef VECTOR NAMED(loose_vector) __attribute__((aligned(4)));
typedef ANGLES NAMED(loose_angles) __attribute__((aligned(4)));

ALWAYS_INLINE VECTOR NAMED(get)(const float *from) {
  return *(const NAMED(loose_vector) *)from;
}
ALWAYS_INLINE ANGLES NAMED(get_angles)(const int32_t *from) {
  return *(const NAMED(loose_angles) *)from;
}
#define GET(from) NAMED(get)(from)
#define GET_ANGLES(from) NAMED(get_angles)(from)
OVERLOADED void store(float *to, VECTOR value) { *(NAMED(loose_vector) *)to = value; }
OVERLOADED void store_angles(int32_t *to, ANGLES value) { *(NAMED(loose_angles) *)to = value; }

OVERLOADED VECTOR choose(ANGLES mask, VECTOR a, VECTOR b) {
  return (VECTOR)((mask & (ANGLES)a) | (~mask & (ANGLES)b));
}
OVERLOADED VECTOR where(ANGLES mask, VECTOR a) { return (VECTOR)(mask & (ANGLES)a); }
OVERLOADED VECTOR magnitudes(VECTOR a) { return (VECTOR)((ANGLES)a & 0x7FFFFFFF); }

// Clamps to 0...1.
OVERLOADED VECTOR between(VECTOR a) {
  a = where(a > 0, a);
  return choose(a < 1, a, (VECTOR){} + 1);
}

// Converts angles in units of 2^-32 cycles to cycles, and back with whole cycles removed, up to
// 2^22.
OVERLOADED VECTOR to_turns(ANGLES a) { return __builtin_convertvector(a, VECTOR) * 0x1p-32f; }
OVERLOADED ANGLES from_turns(VECTOR turns) {
  const VECTOR whole = (turns + 12582912.0f) - 12582912.0f;
  return __builtin_convertvector((turns - whole) * 4294967040.0f, ANGLES);
}

// The angles of complex numbers, accurate to 2e-6 rad; 0 for 0.
OVERLOADED ANGLES angles_of(VECTOR imaginary, VECTOR real) {
  const ANGLES signs = (ANGLES)imaginary & ~0x7FFFFFFF;
  const VECTOR high = magnitudes(imaginary), wide = magnitudes(real);
  const ANGLES steep = high > wide;
  const VECTOR slope = choose(steep, wide, high) / (choose(steep, high, wide) + 1e-37f);
  const VECTOR square = slope * slope;
  // A minimax polynomial for the arc tangent of 0...1, in cycles.
  VECTOR turns = square * -0.0018651583f + 0.00837908604f;
  turns = turns * square - 0.01852985f;
  turns = turns * square + 0.0308029075f;
  turns = turns * square - 0.0529385672f;
  turns = (turns * square + 0.159151317f) * slope;
  turns = choose(steep, 0.25f - turns, turns);
  turns = choose(real < 0, 0.5f - turns, turns);
  turns = (VECTOR)((ANGLES)turns ^ signs);
  return __builtin_convertvector(turns * 4294967040.0f, ANGLES);
}

// Approximate square roots of non-negative numbers, within a 28th; below 1e-19 for 0.
OVERLOADED VECTOR rough_square_roots(VECTOR a) {
  return (VECTOR)(((ANGLES)a >> 1) + 0x1FBB4F2E);
}

// Divides non-negative numbers by a power of two, given as its exponent in units of 2^-23 and
// interpolated linearly between whole exponents.
OVERLOADED VECTOR lowered(VECTOR a, VECTOR by) {
  const ANGLES bits = (ANGLES)a - __builtin_convertvector(by, ANGLES);
  return (VECTOR)(bits & ~(bits >> 31));
}

// The sine of -0.25...0.25 cycles, accurate to 1e-6.
OVERLOADED VECTOR sine_of_turns(VECTOR turns) {
  const VECTOR square = turns * turns;
  const VECTOR sum = (square * -70.9934337f + 81.3407689f) * square - 41.3371424f;
  return (sum * square + 6.28316404f) * turns;
}
OVERLOADED VECTOR cosines(VECTOR turns) { return sine_of_turns(0.25f - magnitudes(turns)); }
OVERLOADED VECTOR sines(VECTOR turns) {
  const ANGLES signs = (ANGLES)turns & ~0x7FFFFFFF;
  const VECTOR far = magnitudes(magnitudes(turns) - 0.25f);
  return (VECTOR)((ANGLES)sine_of_turns(0.25f - far) ^ signs);
}

// Measures all bins from `bin` on that fill a vector, the last one at least with four, and returns the next.
ALWAYS_INLINE long NAMED(measure)(const rt_phases *p, long bin, long end, sums *sums) {
  // The phase advance of the bins' center frequencies, on the tape and in the stretched signal.
  const ANGLES bins = (ANGLES)COUNT + (int32_t)bin;
  ANGLES on_tape = bins * p->tape_bin, in_stretched = bins * p->stretched_bin;
  for (; bin + LANES - 8 < end; bin += LANES) {
    const VECTOR a_real = GET(p->low.real + bin), a_imaginary = GET(p->low.imaginary + bin);
    const VECTOR b_real = GET(p->high.real + bin), b_imaginary = GET(p->high.imaginary + bin);
    const VECTOR power = a_real * a_real + a_imaginary * a_imaginary
                        + (b_real * b_real + b_imaginary * b_imaginary);
    store(p->power + bin, power);

    VECTOR c_real = GET(p->low.real + bin + 1), c_imaginary = GET(p->low.imaginary + bin + 1);
    VECTOR d_real = GET(p->high.real + bin + 1), d_imaginary = GET(p->high.imaginary + bin + 1);
    const VECTOR to_next = to_turns(angles_of(
        c_imaginary * a_real - c_real * a_imaginary
            + (d_imaginary * b_real - d_real * b_imaginary),
        c_real * a_real + c_imaginary * a_imaginary
            + (d_real * b_real + d_imaginary * b_imaginary)));
    store_angles(p->across + bin, from_turns(to_next * p->further_across));
    if (p->goes_far) {
      store(p->gains + bin, between((0.75f - magnitudes(to_next) * p->stretch) * 8));
    }

    c_real = GET(p->low_before.real + bin), c_imaginary = GET(p->low_before.imaginary + bin);
    d_real = GET(p->high_before.real + bin), d_imaginary = GET(p->high_before.imaginary + bin);
    const ANGLES moved = angles_of(
        a_imaginary * c_real - a_real * c_imaginary
            + (b_imaginary * d_real - b_real * d_imaginary),
        a_real * c_real + a_imaginary * c_imaginary
            + (b_real * d_real + b_imaginary * d_imaginary));
    const ANGLES turn = GET_ANGLES(p->turns + bin);
    VECTOR wander = GET(p->wanders + bin);
    ANGLES before = GET_ANGLES(p->deviations + bin);
    if (p->is_leap) {
      // The frequency from before the jump carries the phase across it.
      store_angles(
          p->ahead + bin, turn - moved + in_stretched + from_turns(to_turns(before) * p->further));
    } else {
      const ANGLES deviation = moved - on_tape;
      // If hops differ in length, scales the previous deviation to the current one.
      if (p->lengthened != 1) before = from_turns(to_turns(before) * p->lengthened);
      wander = wander * p->memory + magnitudes(to_turns(deviation - before)) * p->learnt;
      store(p->wanders + bin, wander);
      store_angles(p->deviations + bin, deviation);
      store_angles(
          p->ahead + bin,
          turn + (in_stretched - on_tape) + from_turns(to_turns(deviation) * p->further));
    }

    const VECTOR firm = GET(p->power_before + bin) * p->habit;
    const VECTOR far = between(wander * p->by_wander - 1) * p->looser;
    store(p->owns + bin, lowered(firm, far * GET(p->looseness + bin)));
    const ANGLES has_grown = firm < power;
    const VECTOR chosen = where(has_grown, to_next);
    GATHER(sums->grown, chosen)
    GATHER(sums->squares, chosen * chosen)
    GATHER(sums->less, has_grown)
    store(p->grown_to_next + bin, choose(has_grown, to_next, (VECTOR){} + 4));
    const VECTOR magnitude = rough_square_roots(power);
    GATHER(sums->magnitudes, magnitude)
    GATHER(sums->steady, where(wander < p->least_wander, magnitude))
    on_tape += LANES * p->tape_bin;
    in_stretched += LANES * p->stretched_bin;
  }
  return bin;
}

ALWAYS_INLINE void NAMED(turn)(const rt_turning *p, long bin) {
  const ANGLES mask = GET_ANGLES(p->follows_right + bin);
  ANGLES turn =
      (GET_ANGLES(p->turns_right + bin) & mask) | (GET_ANGLES(p->turns + bin) & ~mask);
  if (p->fades) turn -= turn >> 4;
  store_angles(p->turns + bin, turn);
  const VECTOR turns = to_turns(turn);
  VECTOR real = cosines(turns), imaginary = sines(turns);
  if (p->gains) real *= GET(p->gains + bin), imaginary *= GET(p->gains + bin);
  VECTOR a = GET(p->low.real + bin), b = GET(p->low.imaginary + bin);
  store(p->real + bin, a * real - b * imaginary);
  store(p->imaginary + bin, a * imaginary + b * real);
  a = GET(p->high.real + bin), b = GET(p->high.imaginary + bin);
  const VECTOR mirrored = a * real - b * imaginary, conjugate = -(a * imaginary + b * real);
  // The first bin is mirrored only here, one past the last.
  store(p->real + (p->size - bin - (LANES - 1)), REVERSED(mirrored));
  store(p->imaginary + (p->size - bin - (LANES - 1)), REVERSED(conjugate));
}

#undef VECTOR
#undef ANGLES
#undef LANES
#undef NAMED
#undef COUNT
#undef REVERSED
#undef GATHER
#undef GET
#undef GET_ANGLES
