// C functions for the audio thread.
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

// Shuffles of four floats in one register. Swift can only name the elements one by one, which makes
// its optimizer scalarize the arithmetic around them too.
typedef float rt_four __attribute__((ext_vector_type(4)));

static inline RT_SAFE rt_four rt_square_roots(rt_four a) { return __builtin_elementwise_sqrt(a); }

// Pins a value to its register. Otherwise the optimizer may repeat the arithmetic before a shuffle
// for each shuffle after it.
static inline rt_four rt_settled(rt_four a) {
#if defined(__SSE__)
  __asm__("" : "+x"(a));
#elif defined(__aarch64__)
  __asm__("" : "+w"(a));
#endif
  return a;
}

static inline RT_SAFE rt_four rt_interleave_low(rt_four a, rt_four b) {
  return __builtin_shufflevector(rt_settled(a), rt_settled(b), 0, 4, 1, 5);
}
static inline RT_SAFE rt_four rt_interleave_high(rt_four a, rt_four b) {
  return __builtin_shufflevector(rt_settled(a), rt_settled(b), 2, 6, 3, 7);
}
static inline RT_SAFE rt_four rt_reversed(rt_four a) {
  a = rt_settled(a);
  return __builtin_shufflevector(a, a, 3, 2, 1, 0);
}

// Four angles in units of 2^-32 cycles, which wrap naturally.
typedef int rt_four_angles __attribute__((ext_vector_type(4)));

static inline RT_SAFE rt_four rt_choose(rt_four_angles mask, rt_four a, rt_four b) {
  return (rt_four)((mask & (rt_four_angles)a) | (~mask & (rt_four_angles)b));
}

static inline RT_SAFE rt_four rt_magnitudes(rt_four a) {
  return (rt_four)((rt_four_angles)a & 0x7FFFFFFF);
}

// Converts cycles to angles, with whole cycles removed. Valid up to 2^22.
static inline RT_SAFE rt_four_angles rt_from_turns(rt_four turns) {
  rt_four whole = (turns + 12582912.0f) - 12582912.0f;
  return __builtin_convertvector((turns - whole) * 4294967040.0f, rt_four_angles);
}

// Converts angles to cycles, -0.5 to 0.5.
static inline RT_SAFE rt_four rt_to_turns(rt_four_angles angles) {
  return __builtin_convertvector(angles, rt_four) * (1.0f / 4294967296.0f);
}

// Comparison masks: all ones where true.
static inline RT_SAFE rt_four_angles rt_less(rt_four a, rt_four b) { return a < b; }
static inline RT_SAFE rt_four_angles rt_not_less(rt_four a, rt_four b) { return a >= b; }
static inline RT_SAFE rt_four_angles rt_and(rt_four_angles a, rt_four_angles b) { return a & b; }
static inline RT_SAFE rt_four_angles rt_or(rt_four_angles a, rt_four_angles b) { return a | b; }
static inline RT_SAFE rt_four_angles rt_and_not(rt_four_angles a, rt_four_angles b) {
  return ~a & b;
}

// Selects `a` where the mask is all ones, otherwise `b`.
static inline RT_SAFE rt_four_angles rt_pick(
    rt_four_angles mask, rt_four_angles a, rt_four_angles b) {
  return (mask & a) | (~mask & b);
}

// Selects `a` where the mask is all ones, otherwise 0.
static inline RT_SAFE rt_four rt_where(rt_four_angles mask, rt_four a) {
  return (rt_four)(mask & (rt_four_angles)a);
}

// Clamps to a range; NaN becomes the lower limit.
static inline RT_SAFE rt_four rt_between(float low, rt_four a, float high) {
  a = rt_choose(a > low, a, low);
  return rt_choose(a < high, a, high);
}

// Enclose a section on the audio thread, which is not canceled in it. RealtimeSanitizer checks it if its runtime
// is linked.
RT_SAFE void rt_enter(void);
RT_SAFE void rt_exit(void);

// The kernel thread ID (TID) of the calling thread.
RT_SAFE int32_t rt_thread_number(void);

// Sleeps for 0.1 ms. Not for the audio thread.
void rt_pause(void);

// Returns the memory that this process may lock, in KiB, or -1 if unlimited.
long rt_lockable_kilobytes(void);

typedef enum { RT_LOCKED_ALL, RT_LOCKED_NOTHING } rt_locked;

// Locks the process's memory against paging. Pages are locked when first touched, so unused stacks
// cost nothing.
rt_locked rt_lock_memory(void);

// Reserves address space for zero-filled memory, aligned to a huge page, which becomes resident when it is
// touched. Returns NULL on failure.
void *rt_reserve_memory(size_t bytes);

// Makes the bytes from `start` to `end` of reserved memory resident, whole huge pages as such where the
// system has them. Other threads may use the memory concurrently.
void rt_populate_memory(void *memory, size_t start, size_t end);

// Unmaps memory that was reserved with this size.
void rt_free_memory(void *memory, size_t bytes);

// Complex numbers in planar layout.
typedef struct {
  const float *real, *imaginary;
} rt_planar;

typedef struct {
  float *real, *imaginary;
} rt_planar_output;

// One pass of an FFT by Stockham's algorithm, of radix 4 or 8. It reads values size / radix apart, of which
// `stride` consecutive ones share their twiddle factors.
//
// The factors of the first pass, whose stride is 1, are one per value: groups of 16 values, in a group the
// outputs from the second on, of an output the real and then the imaginary parts. Those of middle passes are
// one per run, in groups of four runs.
typedef struct {
  long size, radix, stride;
  int32_t is_last;
  int32_t is_paired;  // whether the first pass reads interleaved values, from `real`
  const float *factors;
} rt_fourier_pass;

// Runs a pass for the values `start` to `end`, multiples of 4 and in middle passes also of the stride.
RT_SAFE void rt_run_fourier_pass(
    const rt_fourier_pass *pass, rt_planar from, rt_planar_output to, long start, long end);

// Computes the spectrum of a real signal from that of its `count` pairs of samples, except for the first, middle
// and last bin. The turns are half the twiddle factors times -i, from bin 1 on in groups of 16.
RT_SAFE void rt_split_spectrum(rt_planar from, rt_planar_output to, long count, const float *turns);

// The inverse, scaled by 2.
RT_SAFE void rt_merge_spectrum(rt_planar from, rt_planar_output to, long count, const float *turns);

// Interleaves the real and imaginary parts.
RT_SAFE void rt_interleave(rt_planar from, float *to, long count);

// The measurements of one frame's bins for the studio engine's `StudioPhases`, which explains them.
// Angles are in units of 2^-32 cycles.
typedef struct {
  rt_planar low, high, low_before, high_before;
  const float *power_before, *looseness;
  const int32_t *turns;
  float *power, *owns, *wanders, *gains, *grown_to_next;
  int32_t *across, *ahead, *deviations;
  int32_t tape_bin, stretched_bin;  // phase advance per hop and bin number
  int32_t is_leap, goes_far;
  float stretch, further, further_across;
  float habit, looser;               // `looser` is 0 if all bins count as steady, else 1
  float lengthened, memory, learnt;  // of wander
  float by_wander, least_wander;
  // Accumulated sums.
  float grown, squares, magnitudes, steady_magnitudes;
  int32_t grown_count;
} rt_phases;

// Measures bins `start` to `end`. If that is no multiple of 8, measures four more.
RT_SAFE void rt_measure_phases(rt_phases *phases, long start, long end);

// The parameters for rotating the bins of a frame and arranging them for the inverse transform.
typedef struct {
  rt_planar low, high;
  const int32_t *follows_right, *turns_right;
  const float *gains;  // null if all are 1
  int32_t *turns;
  float *real, *imaginary;
  long size;
  int32_t fades;
} rt_turning;

// Rotates bins `start` to `end`, multiples of 8.
RT_SAFE void rt_turn_phases(const rt_turning *turning, long start, long end);

// Converts floats times a gain to 16-bit integers with saturation, and back to floats.
void rt_narrow(const float *from, int16_t *to, float gain, long count);
RT_SAFE void rt_widen(const int16_t *from, float *to, long count);

// Interpolates samples with half-way samples: `rows` of sixteen weights, a 32.32 fixed-point
// position, and a step that grows by `change` per frame. Writes a multiple of four frames.
RT_SAFE void rt_read_dense(
    const float *rows, const float *samples, const float *halves, int64_t position, int64_t step,
    int64_t change, float *output, long frames);

// The same for two channels at the same positions, frame by frame.
RT_SAFE void rt_read_dense_pair(
    const float *rows, const float *left, const float *left_halves, const float *right,
    const float *right_halves, int64_t position, int64_t step, int64_t change, float *left_output,
    float *right_output, long frames);

// Interpolates with rows of `taps` weights, a multiple of 16, for 256 phases and one more; from a
// 32.32 fixed-point position with a constant step.
RT_SAFE void rt_read_sinc(
    const float *rows, long taps, const float *samples, int64_t position, int64_t step,
    float *output, long frames);

// The same for two channels at the same positions.
RT_SAFE void rt_read_sinc_pair(
    const float *rows, long taps, const float *left, const float *right, int64_t position,
    int64_t step, float *left_output, float *right_output, long frames);

// Returns the bit pattern of the peak magnitude of a block, and copies the block unless `copy` is null.
RT_SAFE uint32_t rt_peak(const float *from, float *copy, long frames);

// Adds a block to another one, with two gains, one after the other. The first block of a sum is added to
// zeros instead.
RT_SAFE void rt_mix(
    const float *from, float gain, float share, float *to, _Bool is_first, long frames);

// Returns the dot product of `count` values.
RT_SAFE float rt_product(const float *a, const float *b, long count);

// Returns the dot products with `b` and with `b` shifted by one to three samples.
RT_SAFE rt_four rt_products(const float *a, const float *b, long count);

// The reverb's inner loops. `frames` is the chunk size, a multiple of eight. This one multiplies
// eight lanes by gains and each half by a Hadamard matrix, and rotates both halves into each other.
RT_SAFE void rt_reverb_diffuse(
    const float *const *from, const float *gains, float tangent, float *const *to, long frames);

// Computes the filters that read the ends of eight lines for one chunk: six weights and their six steps per
// frame, eight lines each. Lines sway by a sine of their phases in units of 2^-32 cycles, times `depth` frames;
// `sway` holds the value before the chunk and is set to that after it. `zeros` are the damping's three
// coefficients of each line before the chunk, and those after it. Each line is read `offsets` further back.
RT_SAFE void rt_reverb_weigh(
    const uint32_t *phases, float depth, float *sway, const float *zeros, float *weights,
    int32_t *offsets, long frames);

// Filters lines with these weights, from one sample after to four before each, and writes them one after the
// other.
RT_SAFE void rt_reverb_read(
    const float *const *from, const float *weights, float *to, long lines, long frames);

// Multiplies eight consecutive lines by a Hadamard matrix and adds eight others.
RT_SAFE void rt_reverb_feed(const float *old, const float *new, float *const *to, long frames);

// Adds eight weighted taps to both channels, and eight more to the left with positive and to the
// right with negative sign.
RT_SAFE void rt_reverb_hear(
    const float *const *taps, const float *gains, float *left, float *right, long frames);

// Two values for each of eight lines: pole coefficients, or the last two outputs.
typedef struct {
  rt_four first_low, first_high, second_low, second_high;
} rt_poles;

// Filters eight consecutive lines through their poles and returns the last two outputs.
RT_SAFE rt_poles rt_reverb_poles(float *lines, rt_poles by, rt_poles past, long frames);
