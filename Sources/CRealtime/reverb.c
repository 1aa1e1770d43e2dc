#include "CRealtime.h"
#include "eights.h"

// The inner loops of the reverb. All functions with vector parameters are inlined, so no calling convention can
// differ.
#pragma clang diagnostic ignored "-Wpsabi"

#define ALL(number) ((number) - (eight){})

// A product subtracted from a sum, and a sum from a product, rounded like `ADDED`.
#define TAKEN(sum, a, b) (fused ? __builtin_elementwise_fma(-(a), b, sum) : (sum) - (a) * (b))
#define LESS(sum, a, b) (fused ? __builtin_elementwise_fma(a, b, -(sum)) : (a) * (b) - (sum))

// Completes a four-point Hadamard transform from the sums and differences of two pairs.
#define SPREAD(a, b, c, d)                       \
  {                                              \
    const eight sum = a, difference = b;         \
    a = sum + c;                                 \
    b = difference + d;                          \
    c = sum - c;                                 \
    d = difference - d;                          \
  }

// The sum and difference of two lanes with gains.
#define PAIR(sum, difference, lane)                                                  \
  {                                                                                  \
    const eight one = LOAD(from[lane] + i), other = LOAD(from[lane + 1] + i) * g[lane + 1]; \
    sum = ADDED(other, one, g[lane]);                                                \
    difference = LESS(other, one, g[lane]);                                          \
  }

ALWAYS_INLINE void diffuse(
    const float *const *from, const float *gains, float tangent, float *const *to, long frames,
    int fused) {
  const eight turned = ALL(tangent);
  const eight g[] = {ALL(gains[0]), ALL(gains[1]), ALL(gains[2]), ALL(gains[3]),
                     ALL(gains[4]), ALL(gains[5]), ALL(gains[6]), ALL(gains[7])};
  for (long i = 0; i < frames; i += 8) {
    eight a, b, c, d, e, f, h, k;
    PAIR(a, b, 0)
    PAIR(c, d, 2)
    SPREAD(a, b, c, d)
    PAIR(e, f, 4)
    PAIR(h, k, 6)
    SPREAD(e, f, h, k)
    STORE(to[0] + i, ADDED(a, e, turned));
    STORE(to[1] + i, ADDED(b, f, turned));
    STORE(to[2] + i, ADDED(c, h, turned));
    STORE(to[3] + i, ADDED(d, k, turned));
    STORE(to[4] + i, TAKEN(e, a, turned));
    STORE(to[5] + i, TAKEN(f, b, turned));
    STORE(to[6] + i, TAKEN(h, c, turned));
    STORE(to[7] + i, TAKEN(k, d, turned));
  }
}

// The weights for fractional positions `x`, 0 to 1 and slightly beyond: Lagrange's cubic, with one sample before
// the position and three from it on, and the zeros of the damping in one filter.
ALWAYS_INLINE void weigh(eight x, const float *zeros, eight *w) {
  const eight first = LOAD(zeros), second = LOAD(zeros + 8), third = LOAD(zeros + 16);
  const eight beyond = x + 1, before = x - 1, far_before = x - 2;
  const eight outer = x * before * far_before * (-1.0f / 6);
  const eight here = beyond * before * far_before * 0.5f;
  const eight next = beyond * x * far_before * -0.5f;
  const eight last = beyond * x * before * (1.0f / 6);
  w[0] = outer * first;
  w[1] = here * first + outer * second;
  w[2] = next * first + here * second + outer * third;
  w[3] = last * first + next * second + here * third;
  w[4] = last * second + next * third;
  w[5] = last * third;
}

ALWAYS_INLINE void weigh_ends(
    const uint32_t *phases, float depth, float *sway, const float *zeros, float *weights,
    int32_t *offsets, long frames, int fused) {
  (void)fused;
  typedef int32_t wholes __attribute__((vector_size(32)));
  typedef int32_t loose_wholes __attribute__((vector_size(32), aligned(4)));
#define MAGNITUDE(a) ((eight)((wholes)(a) & 0x7FFFFFFF))
  // A sine, accurate to a thousandth.
  const eight turns =
      __builtin_convertvector((wholes) * (const loose_wholes *)phases, eight) * 0x1p-31f;
  const eight arch = 4 * turns * (1 - MAGNITUDE(turns));
  const eight later = (arch + 0.225f * (arch * MAGNITUDE(arch) - arch)) * depth;
#undef MAGNITUDE
  const eight now = LOAD(sway);
  STORE(sway, later);
  // Rounds toward negative infinity, also below zero.
  const wholes whole = __builtin_convertvector(now + 1024, wholes) - 1024;
  *(loose_wholes *)offsets = whole;
  const eight base = __builtin_convertvector(whole, eight);
  eight first[6], last[6];
  weigh(now - base, zeros, first);
  weigh(later - base, zeros + 24, last);
  const float share = 1 / (float)frames;
  for (int weight = 0; weight < 6; ++weight) {
    STORE(weights + 8 * weight, first[weight]);
    STORE(weights + 8 * (weight + 6), (last[weight] - first[weight]) * share);
  }
}

// The first eight values of a weight, and its growth in eight frames.
#define RAMP(weight)                                                                   \
  ADDED(ALL(weights[8 * (weight)]), ((eight){0, 1, 2, 3, 4, 5, 6, 7}), ALL(steps[8 * (weight)]))
#define GROWTH(weight) (8 * steps[8 * (weight)])

// The weighted sum of a sample and the one before it.
#define WEIGHTED(at, later, earlier) \
  ADDED(LOAD(end + i + (at) - 1) * earlier, LOAD(end + i + (at)), later)

ALWAYS_INLINE void read_ends(
    const float *const *from, const float *weights, float *to, long lines, long frames, int fused) {
  for (long line = 0; line < lines; ++line, ++weights, to += frames) {
    const float *end = from[line], *steps = weights + 48;
    eight w0 = RAMP(0), w1 = RAMP(1), w2 = RAMP(2), w3 = RAMP(3), w4 = RAMP(4), w5 = RAMP(5);
    const float s0 = GROWTH(0), s1 = GROWTH(1), s2 = GROWTH(2);
    const float s3 = GROWTH(3), s4 = GROWTH(4), s5 = GROWTH(5);
    for (long i = 0; i < frames; i += 8) {
      const eight newer = WEIGHTED(1, w0, w1), middle = WEIGHTED(-1, w2, w3);
      const eight older = WEIGHTED(-3, w4, w5);
      STORE(to + i, (newer + middle) + older);
      w0 += s0;
      w1 += s1;
      w2 += s2;
      w3 += s3;
      w4 += s4;
      w5 += s5;
    }
  }
}

#define OLD(line) LOAD(old + (line) * frames + i)
#define NEW(line) LOAD(new + (line) * frames + i)

ALWAYS_INLINE void feed(
    const float *old, const float *new, float *const *to, long frames, int fused) {
  (void)fused;
  for (long i = 0; i < frames; i += 8) {
    eight a = OLD(0) + OLD(1), b = OLD(0) - OLD(1), c = OLD(2) + OLD(3), d = OLD(2) - OLD(3);
    SPREAD(a, b, c, d)
    eight e = OLD(4) + OLD(5), f = OLD(4) - OLD(5), g = OLD(6) + OLD(7), h = OLD(6) - OLD(7);
    SPREAD(e, f, g, h)
    STORE(to[0] + i, NEW(0) + (a + e));
    STORE(to[1] + i, NEW(1) + (b + f));
    STORE(to[2] + i, NEW(2) + (c + g));
    STORE(to[3] + i, NEW(3) + (d + h));
    STORE(to[4] + i, NEW(4) + (a - e));
    STORE(to[5] + i, NEW(5) + (b - f));
    STORE(to[6] + i, NEW(6) + (c - g));
    STORE(to[7] + i, NEW(7) + (d - h));
  }
}

// The weighted sum of two taps, and of eight.
#define TWO(tap) ADDED(LOAD(taps[(tap) + 1] + i) * g[(tap) + 1], LOAD(taps[tap] + i), g[tap])
#define HEAR(tap) ((TWO(tap) + TWO((tap) + 2)) + (TWO((tap) + 4) + TWO((tap) + 6)))

ALWAYS_INLINE void hear(
    const float *const *taps, const float *gains, float *left, float *right, long frames,
    int fused) {
  eight g[16];
  for (int tap = 0; tap < 16; ++tap) g[tap] = ALL(gains[tap]);
  for (long i = 0; i < frames; i += 8) {
    const eight same = HEAR(0), opposite = HEAR(8);
    STORE(left + i, (LOAD(left + i) + same) + opposite);
    STORE(right + i, (LOAD(right + i) + same) - opposite);
  }
}

// Transposes each half of four vectors: four lines of four frames to four frames of four lines, or
// back.
#define LOW(a, b) __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13)
#define HIGH(a, b) __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15)
#define TURN(a, b, c, d)                                                  \
  {                                                                       \
    const eight even = LOW(a, c), odd = LOW(b, d);                        \
    const eight even2 = HIGH(a, c), odd2 = HIGH(b, d);                    \
    a = LOW(even, odd);                                                   \
    b = HIGH(even, odd);                                                  \
    c = LOW(even2, odd2);                                                 \
    d = HIGH(even2, odd2);                                                \
  }
#define FOUR(pointer) ((four) * (const loose_four *)(pointer))
#define JOIN(a, b) __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7)
#define LOWER(both) __builtin_shufflevector(both, both, 0, 1, 2, 3)
#define UPPER(both) __builtin_shufflevector(both, both, 4, 5, 6, 7)
#define LINES(line) \
  JOIN(FOUR(lines + line * frames + i), FOUR(lines + (line + 4) * frames + i))
#define PUT(line, value)                                                \
  *(loose_four *)(lines + line * frames + i) = LOWER(value);            \
  *(loose_four *)(lines + (line + 4) * frames + i) = UPPER(value);
#define PASS(sound)                                                     \
  sound = TAKEN(TAKEN(sound, second, older), first, newer);             \
  older = newer;                                                        \
  newer = sound;

ALWAYS_INLINE rt_poles put_through_poles(
    float *lines, rt_poles by, rt_poles past, long frames, int fused) {
  const eight first = JOIN(by.first_low, by.first_high);
  const eight second = JOIN(by.second_low, by.second_high);
  eight newer = JOIN(past.first_low, past.first_high);
  eight older = JOIN(past.second_low, past.second_high);
  for (long i = 0; i < frames; i += 4) {
    eight a = LINES(0), b = LINES(1), c = LINES(2), d = LINES(3);
    TURN(a, b, c, d)
    PASS(a)
    PASS(b)
    PASS(c)
    PASS(d)
    TURN(a, b, c, d)
    PUT(0, a)
    PUT(1, b)
    PUT(2, c)
    PUT(3, d)
  }
  return (rt_poles){LOWER(newer), UPPER(newer), LOWER(older), UPPER(older)};
}

DISPATCHED(
    void, rt_reverb_diffuse,
    (const float *const *from, const float *gains, float tangent, float *const *to, long frames),
    diffuse, from, gains, tangent, to, frames)

DISPATCHED(
    void, rt_reverb_read,
    (const float *const *from, const float *weights, float *to, long lines, long frames), read_ends,
    from, weights, to, lines, frames)

DISPATCHED(
    void, rt_reverb_weigh,
    (const uint32_t *phases, float depth, float *sway, const float *zeros, float *weights,
     int32_t *offsets, long frames),
    weigh_ends, phases, depth, sway, zeros, weights, offsets, frames)

DISPATCHED(
    void, rt_reverb_feed, (const float *old, const float *new, float *const *to, long frames), feed,
    old, new, to, frames)

DISPATCHED(
    void, rt_reverb_hear,
    (const float *const *taps, const float *gains, float *left, float *right, long frames), hear,
    taps, gains, left, right, frames)

DISPATCHED(
    rt_poles, rt_reverb_poles, (float *lines, rt_poles by, rt_poles past, long frames),
    put_through_poles, lines, by, past, frames)
