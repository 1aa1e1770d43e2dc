// What the kernels share that work on eight numbers at a time: compiled for processors with and without
// AVX2 and FMA, and for those with NEON, of which two registers hold eight numbers.
//
// The order of sums is written out, and what is rounded once: AVX2 and NEON give the same bits.
#pragma once
#pragma clang fp contract(off)
#define ALWAYS_INLINE static inline __attribute__((always_inline))

typedef float four __attribute__((vector_size(16)));
typedef float loose_four __attribute__((vector_size(16), aligned(4)));
typedef float eight __attribute__((vector_size(32)));
typedef float loose_eight __attribute__((vector_size(32), aligned(4)));

#define LOAD(pointer) ((eight) * (const loose_eight *)(pointer))
#define STORE(pointer, value) *(loose_eight *)(pointer) = (value)

// A product added to a sum: rounded once where `fused`, twice where only a library could do that.
#define ADDED(sum, a, b) (fused ? __builtin_elementwise_fma(a, b, sum) : (sum) + (a) * (b))

// The halves of eight numbers, added.
#define FOLD(sum)                                   \
  (__builtin_shufflevector(sum, sum, 0, 1, 2, 3)    \
   + __builtin_shufflevector(sum, sum, 4, 5, 6, 7))

// The halves of four numbers, added, side by side with those of four others.
#define FOLD_BOTH(a, b)                        \
  (__builtin_shufflevector(a, b, 0, 4, 1, 5)   \
   + __builtin_shufflevector(a, b, 2, 6, 3, 7))

// Whether each processor of the kind has fused multiplication.
#if defined(__aarch64__)
#define FUSED 1
#else
#define FUSED 0
#endif

#if defined(__x86_64__)
// A function for newer processors. Not by target_clones, whose choice is made before a sanitizer is ready
// for it.
#define FOR_NEWER __attribute__((target("avx2,fma"))) static

// Two words that were filled in when the program was loaded.
ALWAYS_INLINE int is_newer(void) {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#endif
