// The little C that the audio thread needs.
#pragma once

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#if defined(__SSE__)
#include <xmmintrin.h>
#endif

// Swift's real-time check trusts a C function that carries this attribute.
#define RT_SAFE __attribute__((swift_attr("@_noLocks")))

// Makes the floating-point unit treat denormals as zero on the calling thread.
static inline RT_SAFE void rt_flush_denormals(void) {
#if defined(__SSE__)
  _mm_setcsr(_mm_getcsr() | 0x8040);  // FTZ and DAZ
#elif defined(__aarch64__)
  unsigned long fpcr;
  __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
  __asm__ volatile("msr fpcr, %0" ::"r"(fpcr | (1ul << 24)));
#endif
}

static inline RT_SAFE void rt_zero(float *to, long frames) {
  memset(to, 0, (size_t)frames * sizeof(float));
}

static inline RT_SAFE void rt_copy(float *to, const float *from, long frames) {
  memcpy(to, from, (size_t)frames * sizeof(float));
}

static inline RT_SAFE void rt_copy_bytes(void *to, const void *from, long bytes) {
  memcpy(to, from, (size_t)bytes);
}

static inline RT_SAFE float rt_exp(float x) { return expf(x); }
static inline RT_SAFE float rt_log(float x) { return logf(x); }
static inline RT_SAFE double rt_sin(double x) { return sin(x); }
static inline RT_SAFE double rt_cos(double x) { return cos(x); }
static inline RT_SAFE double rt_angle(double imaginary, double real) {
  return atan2(imaginary, real);
}
static inline RT_SAFE float rt_square_root(float x) { return sqrtf(x); }

// Four numbers in one register, in other orders. Swift can only name them one by one, which
// makes its optimizer take the arithmetic before and after apart, too.
typedef float rt_four __attribute__((ext_vector_type(4)));

// Keeps a number in its register here: otherwise the optimizer, too, may do the arithmetic
// before once for each order after.
static inline rt_four rt_settled(rt_four a) {
#if defined(__SSE__)
  __asm__("" : "+x"(a));
#elif defined(__aarch64__)
  __asm__("" : "+w"(a));
#endif
  return a;
}

static inline RT_SAFE void rt_store_transposed(
    float *to, long apart, rt_four a, rt_four b, rt_four c, rt_four d) {
  a = rt_settled(a);
  b = rt_settled(b);
  c = rt_settled(c);
  d = rt_settled(d);
  rt_four low_ab = __builtin_shufflevector(a, b, 0, 4, 1, 5);
  rt_four low_cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
  rt_four high_ab = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  rt_four high_cd = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  a = __builtin_shufflevector(low_ab, low_cd, 0, 1, 4, 5);
  b = __builtin_shufflevector(low_ab, low_cd, 2, 3, 6, 7);
  c = __builtin_shufflevector(high_ab, high_cd, 0, 1, 4, 5);
  d = __builtin_shufflevector(high_ab, high_cd, 2, 3, 6, 7);
  memcpy(to, &a, sizeof a);
  memcpy(to + apart, &b, sizeof b);
  memcpy(to + 2 * apart, &c, sizeof c);
  memcpy(to + 3 * apart, &d, sizeof d);
}

static inline RT_SAFE rt_four rt_interleave_low(rt_four a, rt_four b) {
  return __builtin_shufflevector(rt_settled(a), rt_settled(b), 0, 4, 1, 5);
}
static inline RT_SAFE rt_four rt_interleave_high(rt_four a, rt_four b) {
  return __builtin_shufflevector(rt_settled(a), rt_settled(b), 2, 6, 3, 7);
}
static inline RT_SAFE rt_four rt_evens(rt_four a, rt_four b) {
  return __builtin_shufflevector(a, b, 0, 2, 4, 6);
}
static inline RT_SAFE rt_four rt_odds(rt_four a, rt_four b) {
  return __builtin_shufflevector(a, b, 1, 3, 5, 7);
}
static inline RT_SAFE rt_four rt_reversed(rt_four a) {
  a = rt_settled(a);
  return __builtin_shufflevector(a, a, 3, 2, 1, 0);
}

// Angles, four at once, in 2^32ths of a turn: they wrap by themselves.
typedef int rt_four_angles __attribute__((ext_vector_type(4)));

static inline RT_SAFE rt_four rt_choose(rt_four_angles mask, rt_four a, rt_four b) {
  return (rt_four)((mask & (rt_four_angles)a) | (~mask & (rt_four_angles)b));
}

static inline RT_SAFE rt_four rt_magnitudes(rt_four a) {
  return (rt_four)((rt_four_angles)a & 0x7FFFFFFF);
}

// The nearest angles to these parts of a turn, of which whole turns are dropped. Up to 2^22.
static inline RT_SAFE rt_four_angles rt_from_turns(rt_four turns) {
  rt_four whole = (turns + 12582912.0f) - 12582912.0f;
  return __builtin_convertvector((turns - whole) * 4294967040.0f, rt_four_angles);
}

// These angles as parts of a turn, from -0.5 to 0.5.
static inline RT_SAFE rt_four rt_to_turns(rt_four_angles angles) {
  return __builtin_convertvector(angles, rt_four) * (1.0f / 4294967296.0f);
}

// The angles of complex numbers, to 2e-6 rad; 0 for 0.
static inline RT_SAFE rt_four_angles rt_angles(rt_four imaginary, rt_four real) {
  rt_four_angles signs = (rt_four_angles)imaginary & ~0x7FFFFFFF;
  rt_four high = rt_magnitudes(imaginary);
  rt_four wide = rt_magnitudes(real);
  rt_four_angles steep = high > wide;
  rt_four slope = rt_choose(steep, wide, high) / (rt_choose(steep, high, wide) + 1e-37f);
  rt_four square = slope * slope;
  // A polynomial of the least greatest error for the arc tangent of 0 to 1, in turns.
  rt_four turns = -0.0018651583f;
  turns = turns * square + 0.00837908604f;
  turns = turns * square - 0.01852985f;
  turns = turns * square + 0.0308029075f;
  turns = turns * square - 0.0529385672f;
  turns = (turns * square + 0.159151317f) * slope;
  turns = rt_choose(steep, 0.25f - turns, turns);
  turns = rt_choose(real < 0, 0.5f - turns, turns);
  turns = (rt_four)((rt_four_angles)turns ^ signs);
  return __builtin_convertvector(turns * 4294967040.0f, rt_four_angles);
}

// The sine of parts of a turn from -0.25 to 0.25, to 1e-6.
static inline rt_four rt_sine_of_turns(rt_four turns) {
  rt_four square = turns * turns;
  rt_four sum = -70.9934337f;
  sum = sum * square + 81.3407689f;
  sum = sum * square - 41.3371424f;
  return (sum * square + 6.28316404f) * turns;
}

static inline RT_SAFE rt_four rt_cosines(rt_four_angles angles) {
  rt_four turns = rt_to_turns(angles);
  rt_four width = rt_magnitudes(turns);
  return rt_sine_of_turns(0.25f - width);
}

static inline RT_SAFE rt_four rt_sines(rt_four_angles angles) {
  rt_four turns = rt_to_turns(angles);
  rt_four_angles signs = (rt_four_angles)turns & ~0x7FFFFFFF;
  rt_four width = rt_magnitudes(turns);
  rt_four far = rt_magnitudes(width - 0.25f);
  return (rt_four)((rt_four_angles)rt_sine_of_turns(0.25f - far) ^ signs);
}

// All ones where a number is less than the other, or is not.
static inline RT_SAFE rt_four_angles rt_less(rt_four a, rt_four b) { return a < b; }
static inline RT_SAFE rt_four_angles rt_not_less(rt_four a, rt_four b) { return a >= b; }
static inline RT_SAFE rt_four_angles rt_and(rt_four_angles a, rt_four_angles b) { return a & b; }
static inline RT_SAFE rt_four_angles rt_or(rt_four_angles a, rt_four_angles b) { return a | b; }
static inline RT_SAFE rt_four_angles rt_and_not(rt_four_angles a, rt_four_angles b) {
  return ~a & b;
}

// The first angles where the mask is all ones, the others elsewhere.
static inline RT_SAFE rt_four_angles rt_pick(
    rt_four_angles mask, rt_four_angles a, rt_four_angles b) {
  return (mask & a) | (~mask & b);
}

// The numbers where the mask is all ones, and 0 elsewhere.
static inline RT_SAFE rt_four rt_where(rt_four_angles mask, rt_four a) {
  return (rt_four)(mask & (rt_four_angles)a);
}

// Keeps numbers between two limits; what is not a number becomes the lower one.
static inline RT_SAFE rt_four rt_between(float low, rt_four a, float high) {
  a = rt_choose(a > low, a, low);
  return rt_choose(a < high, a, high);
}

// Marks the section that RealtimeSanitizer watches; does nothing where its runtime is not
// linked.
RT_SAFE void rt_enter(void);
RT_SAFE void rt_exit(void);

// Sleeps for a tenth of a millisecond. Not for the audio thread.
void rt_pause(void);

// How much memory this process may lock; -1 where there is no limit.
long rt_lockable_kilobytes(void);

typedef enum { RT_LOCKED_ALL, RT_LOCKED_NOTHING } rt_locked;

// Keeps the process's memory from being paged out. Pages are locked as they are touched, so
// that stacks which are never used cost nothing.
rt_locked rt_lock_memory(void);

// Reads between samples that have their half-way samples beside them: `rows` of sixteen weights, a
// place with 32 binary places, and a step that grows by `change` a frame. Writes whole fours.
RT_SAFE void rt_read_dense(
    const float *rows, const float *samples, const float *halves, int64_t position, int64_t step,
    int64_t change, float *output, long frames);

// The same for two sides at the same places, frame by frame.
RT_SAFE void rt_read_dense_pair(
    const float *rows, const float *left, const float *left_halves, const float *right,
    const float *right_halves, int64_t position, int64_t step, int64_t change, float *left_output,
    float *right_output, long frames);
