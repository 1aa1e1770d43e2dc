#include "CRealtime.h"
#include "eights.h"

// The FFT, in three vector widths. No operations are fused, so results are identical on all processors. All
// functions with vector parameters are inlined, so no calling convention can differ.
#pragma clang diagnostic ignored "-Wpsabi"

#define PICK __builtin_shufflevector

// Each width defines lane shuffles; QUADRUPLED, which loads LANES / 4 floats and repeats each four times; and
// PUT_BLOCKS, which stores four vectors in blocks of four lanes: the first block of each, then the second
// ones `apart` floats further, and so on.

#define VECTOR four
#define LANES 4
#define NAMED(name) name##_by_4
#define EVENS(a, b) PICK(a, b, 0, 2, 4, 6)
#define ODDS(a, b) PICK(a, b, 1, 3, 5, 7)
#define LOW(a, b) PICK(a, b, 0, 4, 1, 5)
#define HIGH(a, b) PICK(a, b, 2, 6, 3, 7)
#define ZIP_LOW(a, b) LOW(a, b)
#define ZIP_HIGH(a, b) HIGH(a, b)
#define REVERSED(a) PICK(a, a, 3, 2, 1, 0)
#define QUADRUPLED(at) ((at)[0] - (four){})
#define PUT_BLOCKS(to, apart, a, b, c, d) \
  put(to, a);                        \
  put(to + 4, b);                    \
  put(to + 8, c);                    \
  put(to + 12, d);
#include "fourier.h"

#if defined(__x86_64__)

typedef float loose_pair __attribute__((vector_size(8), aligned(4)));

#define VECTOR eight
#define LANES 8
#define NAMED(name) name##_by_8
#define EVENS(a, b) PICK(a, b, 0, 2, 4, 6, 8, 10, 12, 14)
#define ODDS(a, b) PICK(a, b, 1, 3, 5, 7, 9, 11, 13, 15)
#define LOW(a, b) PICK(a, b, 0, 8, 1, 9, 4, 12, 5, 13)
#define HIGH(a, b) PICK(a, b, 2, 10, 3, 11, 6, 14, 7, 15)
#define ZIP_LOW(a, b) PICK(a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define ZIP_HIGH(a, b) PICK(a, b, 4, 12, 5, 13, 6, 14, 7, 15)
#define REVERSED(a) PICK(a, a, 7, 6, 5, 4, 3, 2, 1, 0)
#define QUADRUPLED(at) \
  PICK(*(const loose_pair *)(at), *(const loose_pair *)(at), 0, 0, 0, 0, 1, 1, 1, 1)
#define PUT_BLOCKS(to, apart, a, b, c, d)                       \
  put(to, PICK(a, b, 0, 1, 2, 3, 8, 9, 10, 11));           \
  put(to + 8, PICK(c, d, 0, 1, 2, 3, 8, 9, 10, 11));       \
  put(to + apart, PICK(a, b, 4, 5, 6, 7, 12, 13, 14, 15)); \
  put(to + apart + 8, PICK(c, d, 4, 5, 6, 7, 12, 13, 14, 15));
#include "fourier.h"

#define VECTOR sixteen
#define LANES 16
#define NAMED(name) name##_by_16
#define EVENS(a, b) PICK(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30)
#define ODDS(a, b) PICK(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31)
#define LOW(a, b) PICK(a, b, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29)
#define HIGH(a, b) PICK(a, b, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31)
#define ZIP_LOW(a, b) PICK(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define ZIP_HIGH(a, b) PICK(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
#define REVERSED(a) PICK(a, a, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define QUADRUPLED(at)                                                                         \
  PICK(*(const loose_four *)(at), *(const loose_four *)(at), 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, \
       3, 3, 3, 3)
#define OCTUPLED(at)                                                                               \
  PICK(*(const loose_pair *)(at), *(const loose_pair *)(at), 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, \
       1, 1, 1)
// Halves of two vectors, and every other quarter.
#define LOWER_HALVES(a, b) PICK(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23)
#define UPPER_HALVES(a, b) PICK(a, b, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31)
#define EVEN_QUARTERS(a, b) PICK(a, b, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27)
#define ODD_QUARTERS(a, b) PICK(a, b, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31)
#define PUT_BLOCKS(to, apart, a, b, c, d)                                         \
  const sixteen low = LOWER_HALVES(a, b), low2 = LOWER_HALVES(c, d);              \
  const sixteen high = UPPER_HALVES(a, b), high2 = UPPER_HALVES(c, d);            \
  put(to, EVEN_QUARTERS(low, low2));                                        \
  put(to + apart, ODD_QUARTERS(low, low2));                                 \
  put(to + 2 * apart, EVEN_QUARTERS(high, high2));                          \
  put(to + 3 * apart, ODD_QUARTERS(high, high2));
#include "fourier.h"

// Whether a slice of a pass consists of whole vectors, and each run does, too, unless the kernels have code
// for several runs per vector.
ALWAYS_INLINE int fits(const rt_fourier_pass *pass, long start, long end, long lanes) {
  const int is_short = pass->stride <= 4 || (pass->stride == 8 && pass->radix == 8);
  return (start | end) % lanes == 0 && (is_short || pass->stride >= lanes || pass->is_last);
}

FOR_AVX2 static void run_newer(
    const rt_fourier_pass *pass, rt_planar from, rt_planar_output to, long start, long end) {
  run_pass_by_8(pass, from, to, start, end);
}

FOR_AVX_512 static void run_newest(
    const rt_fourier_pass *pass, rt_planar from, rt_planar_output to, long start, long end) {
  run_pass_by_16(pass, from, to, start, end);
}

void rt_run_fourier_pass(
    const rt_fourier_pass *pass, rt_planar from, rt_planar_output to, long start, long end) {
  if (fits(pass, start, end, 16) && is_newest()) {
    run_newest(pass, from, to, start, end);
  } else if (fits(pass, start, end, 8) && is_newer()) {
    run_newer(pass, from, to, start, end);
  } else {
    run_pass_by_4(pass, from, to, start, end);
  }
}

// Defines the function `name`, which calls `kernel` with the widest vectors.
#define BY_WIDTH(name, parameters, kernel, ...)                                      \
  FOR_AVX2 static void kernel##_newer parameters { kernel##_by_8(__VA_ARGS__); }     \
  FOR_AVX_512 static void kernel##_newest parameters { kernel##_by_16(__VA_ARGS__); } \
  void name parameters {                                                             \
    if (is_newest()) {                                                               \
      kernel##_newest(__VA_ARGS__);                                                  \
    } else if (is_newer()) {                                                         \
      kernel##_newer(__VA_ARGS__);                                                   \
    } else {                                                                         \
      kernel##_by_4(__VA_ARGS__);                                                    \
    }                                                                                \
  }

#else

void rt_run_fourier_pass(
    const rt_fourier_pass *pass, rt_planar from, rt_planar_output to, long start, long end) {
  run_pass_by_4(pass, from, to, start, end);
}

#define BY_WIDTH(name, parameters, kernel, ...) \
  void name parameters { kernel##_by_4(__VA_ARGS__); }

#endif

BY_WIDTH(
    rt_split_spectrum, (rt_planar from, rt_planar_output to, long count, const float *turns), split,
    from, to, count, turns)

BY_WIDTH(
    rt_merge_spectrum, (rt_planar from, rt_planar_output to, long count, const float *turns), merge,
    from, to, count, turns)

BY_WIDTH(rt_interleave, (rt_planar from, float *to, long count), interleave, from, to, count)
