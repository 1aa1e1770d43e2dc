// The little C that the audio thread needs.
#pragma once

#include <math.h>
#include <stddef.h>
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

static inline RT_SAFE float rt_exp(float x) { return expf(x); }
static inline RT_SAFE float rt_log(float x) { return logf(x); }
static inline RT_SAFE double rt_sin(double x) { return sin(x); }

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
