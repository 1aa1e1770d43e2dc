// Replaces the allocator and mutexes, to count the calls of an effect while it processes.
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

#include "harness.h"

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static volatile int counting;
static call_counts counts;

void count_calls(int on) {
  if (on) counts = (call_counts){0, 0, 0};
  counting = on;
}

call_counts counted_calls(void) { return counts; }

static void allocates(void) {
  if (counting) ++counts.allocations;
}

void *malloc(size_t size) {
  allocates();
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  allocates();
  return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
  allocates();
  return __libc_realloc(old, size);
}

void *memalign(size_t alignment, size_t size) {
  allocates();
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  allocates();
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **at, size_t alignment, size_t size) {
  allocates();
  *at = __libc_memalign(alignment, size);
  return *at ? 0 : ENOMEM;
}

void free(void *old) {
  if (counting && old) ++counts.frees;
  __libc_free(old);
}

int pthread_mutex_lock(pthread_mutex_t *mutex) {
  static int (*lock)(pthread_mutex_t *);
  if (!lock) lock = (int (*)(pthread_mutex_t *))dlsym(RTLD_NEXT, "pthread_mutex_lock");
  if (counting) ++counts.locks;
  return lock(mutex);
}
