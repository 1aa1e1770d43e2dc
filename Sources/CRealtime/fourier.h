// The FFT passes for one vector width, included once per width: `VECTOR` is a vector of `LANES` floats, and
// `NAMED` makes a name unique where no parameter does. All widths round identically.

typedef struct {
  VECTOR real, imaginary;
} NAMED(complex);

#define COMPLEX NAMED(complex)
typedef VECTOR NAMED(loose) __attribute__((aligned(4)));

ALWAYS_INLINE VECTOR NAMED(get)(const float *from) { return *(const NAMED(loose) *)from; }
OVERLOADED void put(float *to, VECTOR value) { *(NAMED(loose) *)to = value; }

// Consecutive complex numbers, from planar or interleaved arrays.
ALWAYS_INLINE COMPLEX NAMED(load)(rt_planar from, long at, int is_paired) {
  if (is_paired) {
    const VECTOR low = NAMED(get)(from.real + 2 * at), high = NAMED(get)(from.real + 2 * at + LANES);
    return (COMPLEX){EVENS(low, high), ODDS(low, high)};
  }
  return (COMPLEX){NAMED(get)(from.real + at), NAMED(get)(from.imaginary + at)};
}

OVERLOADED void store(rt_planar_output to, long at, COMPLEX value) {
  put(to.real + at, value.real);
  put(to.imaginary + at, value.imaginary);
}

OVERLOADED COMPLEX sum(COMPLEX a, COMPLEX b) {
  return (COMPLEX){a.real + b.real, a.imaginary + b.imaginary};
}
OVERLOADED COMPLEX difference(COMPLEX a, COMPLEX b) {
  return (COMPLEX){a.real - b.real, a.imaginary - b.imaginary};
}
// The sum with -i times `b`, and with i times `b`.
OVERLOADED COMPLEX below(COMPLEX a, COMPLEX b) {
  return (COMPLEX){a.real + b.imaginary, a.imaginary - b.real};
}
OVERLOADED COMPLEX above(COMPLEX a, COMPLEX b) {
  return (COMPLEX){a.real - b.imaginary, a.imaginary + b.real};
}
OVERLOADED COMPLEX product(COMPLEX a, COMPLEX b) {
  return (COMPLEX){
      a.real * b.real - a.imaginary * b.imaginary, a.real * b.imaginary + a.imaginary * b.real};
}

#define ALL(number) ((number) - (VECTOR){})

// Twiddle factors of a first pass: one per value, in groups of 16 values.
ALWAYS_INLINE COMPLEX NAMED(own_factor)(const float *group, int output) {
  const float *at = group + (output - 1) * 32;
  return (COMPLEX){NAMED(get)(at), NAMED(get)(at + 16)};
}
OVERLOADED COMPLEX by_own(COMPLEX value, const float *group, int output) {
  return product(value, NAMED(own_factor)(group, output));
}

// Twiddle factors of middle passes: one per run, in groups of four runs.
OVERLOADED COMPLEX by_run(COMPLEX value, const float *group, int output) {
  const float *at = group + (output - 1) * 8;
  return product(value, (COMPLEX){ALL(at[0]), ALL(at[4])});
}

// The same, for runs of four values.
OVERLOADED COMPLEX by_short(COMPLEX value, const float *group, int output) {
  const float *at = group + (output - 1) * 8;
  return product(value, (COMPLEX){QUADRUPLED(at), QUADRUPLED(at + 4)});
}

OVERLOADED void four_points(COMPLEX a, COMPLEX b, COMPLEX c, COMPLEX d, COMPLEX *y) {
  const COMPLEX even = sum(a, c), odd = sum(b, d);
  const COMPLEX even_less = difference(a, c), odd_less = difference(b, d);
  y[0] = sum(even, odd);
  y[1] = below(even_less, odd_less);
  y[2] = difference(even, odd);
  y[3] = above(even_less, odd_less);
}

// The four-point transform of values `apart` from each other.
OVERLOADED void radix_4(
    rt_planar from, long at, long apart, int is_paired, COMPLEX *y) {
  const COMPLEX a = NAMED(load)(from, at, is_paired);
  const COMPLEX b = NAMED(load)(from, at + apart, is_paired);
  const COMPLEX c = NAMED(load)(from, at + 2 * apart, is_paired);
  const COMPLEX d = NAMED(load)(from, at + 3 * apart, is_paired);
  four_points(a, b, c, d, y);
}

// The even outputs of radix 8: a four-point transform of sums. The odd ones load the inputs again, because
// AVX2 doesn't have enough registers for both.
OVERLOADED void evens_of_8(
    rt_planar from, long at, long apart, int is_paired, COMPLEX *y) {
#define BOTH(index, operation)                                   \
  operation(NAMED(load)(from, at + (index) * apart, is_paired),  \
            NAMED(load)(from, at + ((index) + 4) * apart, is_paired))
  const COMPLEX a = BOTH(0, sum), b = BOTH(1, sum), c = BOTH(2, sum), d = BOTH(3, sum);
  four_points(a, b, c, d, y);
}

// The odd outputs: a four-point transform of differences, rotated by 0, -45, -90 and -135 degrees.
OVERLOADED void odds_of_8(
    rt_planar from, long at, long apart, int is_paired, COMPLEX *y) {
  const COMPLEX a = BOTH(0, difference), b = BOTH(1, difference);
  const COMPLEX c = BOTH(2, difference), d = BOTH(3, difference);
#undef BOTH
  const VECTOR half = ALL(0.707106781f);
  const COMPLEX even = below(a, c), even_less = above(a, c);
  const VECTOR b_real = b.real + b.imaginary, b_imaginary = b.imaginary - b.real;
  const VECTOR d_real = d.imaginary - d.real, d_imaginary = d.real + d.imaginary;
  const COMPLEX odd = {(b_real + d_real) * half, (b_imaginary - d_imaginary) * half};
  const COMPLEX odd_less = {(b_real - d_real) * half, (b_imaginary + d_imaginary) * half};
  y[0] = sum(even, odd);
  y[1] = below(even_less, odd_less);
  y[2] = difference(even, odd);
  y[3] = above(even_less, odd_less);
}

// Transposes blocks of four floats.
OVERLOADED void put_blocks(
    float *to, long apart, VECTOR a, VECTOR b, VECTOR c, VECTOR d) {
  (void)apart;
  PUT_BLOCKS(to, apart, a, b, c, d)
}
OVERLOADED void store_blocks(
    rt_planar_output to, long at, long apart, COMPLEX a, COMPLEX b, COMPLEX c, COMPLEX d) {
  put_blocks(to.real + at, apart, a.real, b.real, c.real, d.real);
  put_blocks(to.imaginary + at, apart, a.imaginary, b.imaginary, c.imaginary, d.imaginary);
}

// Transposes four floats of four vectors in each block.
#define TURN_ALL(a, b, c, d)                                                  \
  {                                                                           \
    const VECTOR low = LOW(a, c), high = HIGH(a, c);                          \
    const VECTOR low2 = LOW(b, d), high2 = HIGH(b, d);                        \
    a = LOW(low, low2);                                                       \
    b = HIGH(low, low2);                                                      \
    c = LOW(high, high2);                                                     \
    d = HIGH(high, high2);                                                    \
  }
OVERLOADED void turn_blocks(COMPLEX *y) {
  TURN_ALL(y[0].real, y[1].real, y[2].real, y[3].real)
  TURN_ALL(y[0].imaginary, y[1].imaginary, y[2].imaginary, y[3].imaginary)
}

// The first pass: each value has its own factors, and the outputs are consecutive.
ALWAYS_INLINE void NAMED(first_4)(
    rt_planar from, rt_planar_output to, long apart, long start, long end, const float *factors,
    int is_paired) {
  for (long i = start; i < end; i += LANES) {
    const float *group = factors + (i & ~15) * 6 + (i & 15);
    COMPLEX y[4];
    radix_4(from, i, apart, is_paired, y);
    y[1] = by_own(y[1], group, 1);
    y[2] = by_own(y[2], group, 2);
    y[3] = by_own(y[3], group, 3);
    turn_blocks(y);
    store_blocks(to, 4 * i, 16, y[0], y[1], y[2], y[3]);
  }
}

ALWAYS_INLINE void NAMED(first_8)(
    rt_planar from, rt_planar_output to, long apart, long start, long end, const float *factors,
    int is_paired) {
  for (long i = start; i < end; i += LANES) {
    const float *group = factors + (i & ~15) * 14 + (i & 15);
    COMPLEX even[4], odd[4];
    evens_of_8(from, i, apart, is_paired, even);
    odds_of_8(from, i, apart, is_paired, odd);
    COMPLEX near[] = {
        even[0], by_own(odd[0], group, 1),
        by_own(even[1], group, 2), by_own(odd[1], group, 3)};
    COMPLEX far[] = {
        by_own(even[2], group, 4), by_own(odd[2], group, 5),
        by_own(even[3], group, 6), by_own(odd[3], group, 7)};
    turn_blocks(near);
    turn_blocks(far);
    store_blocks(to, 8 * i, 32, near[0], far[0], near[1], far[1]);
    store_blocks(to, 8 * i + 16, 32, near[2], far[2], near[3], far[3]);
  }
}

// A middle pass: `stride` consecutive values share their factors.
ALWAYS_INLINE void NAMED(middle_4)(
    rt_planar from, rt_planar_output to, long apart, long start, long end, long stride,
    const float *factors) {
  for (long i = start; i < end; i += stride) {
    const long run = i / stride, out = 4 * i - i;
    const float *group = factors + (run & ~3) * 6 + (run & 3);
    for (long j = i; j < i + stride; j += LANES) {
      COMPLEX y[4];
      radix_4(from, j, apart, 0, y);
      store(to, out + j, y[0]);
      store(to, out + j + stride, by_run(y[1], group, 1));
      store(to, out + j + 2 * stride, by_run(y[2], group, 2));
      store(to, out + j + 3 * stride, by_run(y[3], group, 3));
    }
  }
}

ALWAYS_INLINE void NAMED(middle_8)(
    rt_planar from, rt_planar_output to, long apart, long start, long end, long stride,
    const float *factors) {
  for (long i = start; i < end; i += stride) {
    const long run = i / stride, out = 8 * i - i;
    const float *group = factors + (run & ~3) * 14 + (run & 3);
    for (long j = i; j < i + stride; j += LANES) {
      COMPLEX y[4];
      evens_of_8(from, j, apart, 0, y);
      store(to, out + j, y[0]);
      store(to, out + j + 2 * stride, by_run(y[1], group, 2));
      store(to, out + j + 4 * stride, by_run(y[2], group, 4));
      store(to, out + j + 6 * stride, by_run(y[3], group, 6));
      odds_of_8(from, j, apart, 0, y);
      store(to, out + j + stride, by_run(y[0], group, 1));
      store(to, out + j + 3 * stride, by_run(y[1], group, 3));
      store(to, out + j + 5 * stride, by_run(y[2], group, 5));
      store(to, out + j + 7 * stride, by_run(y[3], group, 7));
    }
  }
}

// A middle pass with runs of four values, several per vector.
ALWAYS_INLINE void NAMED(short_4)(
    rt_planar from, rt_planar_output to, long apart, long start, long end, const float *factors) {
  for (long i = start; i < end; i += LANES) {
    const float *group = factors + ((i / 4) & ~3) * 6 + ((i / 4) & 3);
    COMPLEX y[4];
    radix_4(from, i, apart, 0, y);
    y[1] = by_short(y[1], group, 1);
    y[2] = by_short(y[2], group, 2);
    y[3] = by_short(y[3], group, 3);
    store_blocks(to, 4 * i, 16, y[0], y[1], y[2], y[3]);
  }
}

ALWAYS_INLINE void NAMED(short_8)(
    rt_planar from, rt_planar_output to, long apart, long start, long end, const float *factors) {
  for (long i = start; i < end; i += LANES) {
    const float *group = factors + ((i / 4) & ~3) * 14 + ((i / 4) & 3);
    COMPLEX even[4], odd[4];
    evens_of_8(from, i, apart, 0, even);
    odds_of_8(from, i, apart, 0, odd);
    store_blocks(
        to, 8 * i, 32, even[0], by_short(odd[0], group, 1),
        by_short(even[1], group, 2), by_short(odd[1], group, 3));
    store_blocks(
        to, 8 * i + 16, 32, by_short(even[2], group, 4),
        by_short(odd[2], group, 5), by_short(even[3], group, 6),
        by_short(odd[3], group, 7));
  }
}

#if LANES == 16
// A middle pass with runs of eight values, two per vector.
OVERLOADED COMPLEX by_pair(COMPLEX value, const float *group, int output) {
  const float *at = group + (output - 1) * 8;
  return product(value, (COMPLEX){OCTUPLED(at), OCTUPLED(at + 4)});
}
OVERLOADED void store_halves(rt_planar_output to, long at, COMPLEX a, COMPLEX b) {
  put(to.real + at, LOWER_HALVES(a.real, b.real));
  put(to.real + at + 64, UPPER_HALVES(a.real, b.real));
  put(to.imaginary + at, LOWER_HALVES(a.imaginary, b.imaginary));
  put(to.imaginary + at + 64, UPPER_HALVES(a.imaginary, b.imaginary));
}

ALWAYS_INLINE void pairs_8(
    rt_planar from, rt_planar_output to, long apart, long start, long end, const float *factors) {
  for (long i = start; i < end; i += 16) {
    const float *group = factors + ((i / 8) & ~3) * 14 + ((i / 8) & 3);
    COMPLEX even[4], odd[4];
    evens_of_8(from, i, apart, 0, even);
    odds_of_8(from, i, apart, 0, odd);
    store_halves(to, 8 * i, even[0], by_pair(odd[0], group, 1));
    store_halves(to, 8 * i + 16, by_pair(even[1], group, 2), by_pair(odd[1], group, 3));
    store_halves(to, 8 * i + 32, by_pair(even[2], group, 4), by_pair(odd[2], group, 5));
    store_halves(to, 8 * i + 48, by_pair(even[3], group, 6), by_pair(odd[3], group, 7));
  }
}
#endif

// The last pass, whose factors are all 1.
ALWAYS_INLINE void NAMED(last_4)(
    rt_planar from, rt_planar_output to, long apart, long start, long end) {
  for (long i = start; i < end; i += LANES) {
    COMPLEX y[4];
    radix_4(from, i, apart, 0, y);
    for (int output = 0; output < 4; ++output) store(to, i + output * apart, y[output]);
  }
}

ALWAYS_INLINE void NAMED(last_8)(
    rt_planar from, rt_planar_output to, long apart, long start, long end) {
  for (long i = start; i < end; i += LANES) {
    COMPLEX y[4];
    evens_of_8(from, i, apart, 0, y);
    for (int pair = 0; pair < 4; ++pair) store(to, i + 2 * pair * apart, y[pair]);
    odds_of_8(from, i, apart, 0, y);
    for (int pair = 0; pair < 4; ++pair) store(to, i + (2 * pair + 1) * apart, y[pair]);
  }
}

ALWAYS_INLINE void NAMED(run_pass)(
    const rt_fourier_pass *pass, rt_planar from, rt_planar_output to, long start, long end) {
  const long apart = pass->size / pass->radix;
  const float *factors = pass->factors;
  if (pass->radix == 4) {
    if (pass->stride == 1 && pass->is_paired) {
      NAMED(first_4)(from, to, apart, start, end, factors, 1);
    } else if (pass->stride == 1) {
      NAMED(first_4)(from, to, apart, start, end, factors, 0);
    } else if (pass->is_last) {
      NAMED(last_4)(from, to, apart, start, end);
    } else if (pass->stride == 4) {
      NAMED(short_4)(from, to, apart, start, end, factors);
    } else {
      NAMED(middle_4)(from, to, apart, start, end, pass->stride, factors);
    }
  } else {
    if (pass->stride == 1 && pass->is_paired) {
      NAMED(first_8)(from, to, apart, start, end, factors, 1);
    } else if (pass->stride == 1) {
      NAMED(first_8)(from, to, apart, start, end, factors, 0);
    } else if (pass->is_last) {
      NAMED(last_8)(from, to, apart, start, end);
    } else if (pass->stride == 4) {
      NAMED(short_8)(from, to, apart, start, end, factors);
#if LANES == 16
    } else if (pass->stride == 8) {
      pairs_8(from, to, apart, start, end, factors);
#endif
    } else {
      NAMED(middle_8)(from, to, apart, start, end, pass->stride, factors);
    }
  }
}

// Bin b of the full spectrum is E(b) - i w^b O(b), where E and O are the even and odd parts of the half-size
// spectrum Z: 2 E(b) = Z(b) + Z*(M - b), 2 O(b) = (Z(b) - Z*(M - b)) / i.
ALWAYS_INLINE void NAMED(split)(
    rt_planar from, rt_planar_output to, long count, const float *turns) {
  for (long bin = 1; bin < count / 2; bin += LANES) {
    const long mirror = count - bin - (LANES - 1);
    const float *group = turns + ((bin - 1) & ~15) * 2 + ((bin - 1) & 15);
    const COMPLEX low = NAMED(load)(from, bin, 0), high = NAMED(load)(from, mirror, 0);
    const VECTOR high_real = REVERSED(high.real), high_imaginary = REVERSED(high.imaginary);
    const COMPLEX even = {
        (low.real + high_real) * 0.5f, (low.imaginary - high_imaginary) * 0.5f};
    const COMPLEX odd = {low.real - high_real, low.imaginary + high_imaginary};
    const COMPLEX turned = product(odd, NAMED(own_factor)(group, 1));
    store(to, bin, sum(even, turned));
    const COMPLEX mirrored = difference(even, turned);
    store(
        to, mirror, (COMPLEX){REVERSED(mirrored.real), -REVERSED(mirrored.imaginary)});
  }
}

// The inverse, scaled by 2.
ALWAYS_INLINE void NAMED(merge)(
    rt_planar from, rt_planar_output to, long count, const float *turns) {
  for (long bin = 1; bin < count / 2; bin += LANES) {
    const long mirror = count - bin - (LANES - 1);
    const float *group = turns + ((bin - 1) & ~15) * 2 + ((bin - 1) & 15);
    const COMPLEX low = NAMED(load)(from, bin, 0), high = NAMED(load)(from, mirror, 0);
    const VECTOR high_real = REVERSED(high.real), high_imaginary = REVERSED(high.imaginary);
    const COMPLEX even = {low.real + high_real, low.imaginary - high_imaginary};
    const COMPLEX turned = {low.real - high_real, low.imaginary + high_imaginary};
    const COMPLEX turn = NAMED(own_factor)(group, 1);
    const COMPLEX odd = product(
        turned, (COMPLEX){turn.real + turn.real, -(turn.imaginary + turn.imaginary)});
    store(to, bin, sum(even, odd));
    const COMPLEX mirrored = difference(even, odd);
    store(
        to, mirror, (COMPLEX){REVERSED(mirrored.real), -REVERSED(mirrored.imaginary)});
  }
}

ALWAYS_INLINE void NAMED(interleave)(rt_planar from, float *to, long count) {
  for (long i = 0; i < count; i += LANES) {
    const COMPLEX value = NAMED(load)(from, i, 0);
    put(to + 2 * i, ZIP_LOW(value.real, value.imaginary));
    put(to + 2 * i + LANES, ZIP_HIGH(value.real, value.imaginary));
  }
}

#undef COMPLEX
#undef ALL
#undef TURN_ALL
#undef VECTOR
#undef LANES
#undef NAMED
#undef EVENS
#undef ODDS
#undef LOW
#undef HIGH
#undef ZIP_LOW
#undef ZIP_HIGH
#undef REVERSED
#undef QUADRUPLED
#undef PUT_BLOCKS
