// Helpers for kernels that process eight floats at a time, compiled for x86-64 with and without
// AVX2 and FMA, and for NEON, where two registers hold eight floats.
//
// The order of sums and the use of fused operations are explicit, so AVX2 and NEON give identical
// bits.
#pragma once
#pragma clang fp contract(off)
#define ALWAYS_INLINE static inline __attribute__((always_inline))
// The same, one of several functions of this name for different widths.
#define OVERLOADED ALWAYS_INLINE __attribute__((overloadable))

typedef float four __attribute__((vector_size(16)));
typedef float loose_four __attribute__((vector_size(16), aligned(4)));
typedef float eight __attribute__((vector_size(32)));
typedef float loose_eight __attribute__((vector_size(32), aligned(4)));

#define LOAD(pointer) ((eight) * (const loose_eight *)(pointer))
#define STORE(pointer, value) *(loose_eight *)(pointer) = (value)

// A multiply-add: rounded once if `fused`, twice where fusing would need a library call.
#define ADDED(sum, a, b) (fused ? __builtin_elementwise_fma(a, b, sum) : (sum) + (a) * (b))

// Adds the two halves of eight floats.
#define FOLD(sum)                                   \
  (__builtin_shufflevector(sum, sum, 0, 1, 2, 3)    \
   + __builtin_shufflevector(sum, sum, 4, 5, 6, 7))

// Adds the two halves of four floats, interleaved with those of four others.
#define FOLD_BOTH(a, b)                        \
  (__builtin_shufflevector(a, b, 0, 4, 1, 5)   \
   + __builtin_shufflevector(a, b, 2, 6, 3, 7))

// Whether every processor of this architecture has fused multiply-add.
#if defined(__aarch64__)
#define FUSED 1
#else
#define FUSED 0
#endif

// Defines the function `name`, which calls `kernel` with arguments and, at last, whether to fuse.
#if defined(__x86_64__)
// Compiled for newer processors, too. Not by target_clones, whose resolver runs before a sanitizer is
// ready for it.
#define FOR_AVX2 __attribute__((target("avx2,fma")))
#define FOR_AVX_512 __attribute__((target("avx512vbmi2,avx512vl,fma")))

#define DISPATCHED(result, name, parameters, kernel, ...)                                \
  FOR_AVX2 static result kernel##_newer parameters { return kernel(__VA_ARGS__, 1); }    \
  result name parameters {                                                               \
    return is_newer() ? kernel##_newer(__VA_ARGS__) : kernel(__VA_ARGS__, FUSED);        \
  }

// The same, with a last argument for whether to use vectors of sixteen floats.
#define WIDENED(name, parameters, kernel, ...)                                         \
  FOR_AVX_512 static void kernel##_newest parameters { kernel(__VA_ARGS__, 1, 1); }    \
  FOR_AVX2 static void kernel##_newer parameters { kernel(__VA_ARGS__, 1, 0); }        \
  void name parameters {                                                               \
    if (is_newest()) {                                                                 \
      kernel##_newest(__VA_ARGS__);                                                    \
    } else if (is_newer()) {                                                           \
      kernel##_newer(__VA_ARGS__);                                                     \
    } else {                                                                           \
      kernel(__VA_ARGS__, FUSED, 0);                                                   \
    }                                                                                  \
  }

// Reads two words that are filled in when the program is loaded.
ALWAYS_INLINE int is_newer(void) {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

// Whether vectors of sixteen floats are worth it: not on the first processors that have them, whose clock slows
// down for a while.
ALWAYS_INLINE int is_newest(void) {
  return __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512vl");
}

typedef float sixteen __attribute__((vector_size(64)));
#else
#define DISPATCHED(result, name, parameters, kernel, ...) \
  result name parameters { return kernel(__VA_ARGS__, FUSED); }
#define WIDENED(name, parameters, kernel, ...) \
  void name parameters { kernel(__VA_ARGS__, FUSED, 0); }
#endif
