#define _GNU_SOURCE
#include "CRealtime.h"

#include <linux/capability.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

__attribute__((weak)) void __rtsan_realtime_enter(void);
__attribute__((weak)) void __rtsan_realtime_exit(void);

void rt_enter(void) {
  // JACK's library ends its thread asynchronously when a client leaves, also in the middle of a block. The next
  // driver would wait forever for the end of that block.
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
  if (__rtsan_realtime_enter) __rtsan_realtime_enter();
}

void rt_exit(void) {
  if (__rtsan_realtime_exit) __rtsan_realtime_exit();
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
}

int32_t rt_thread_number(void) { return (int32_t)gettid(); }

void rt_pause(void) { usleep(100); }

long rt_lockable_kilobytes(void) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {0};
  if (syscall(SYS_capget, &header, data) == 0 && (data[0].effective >> CAP_IPC_LOCK & 1)) return -1;
  struct rlimit limit;
  if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0) return 0;
  return limit.rlim_cur == RLIM_INFINITY ? -1 : (long)(limit.rlim_cur / 1024);
}

rt_locked rt_lock_memory(void) {
  // With a finite limit, locking future pages would make later allocations fail.
  if (rt_lockable_kilobytes() >= 0) return RT_LOCKED_NOTHING;
  return mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT) == 0 ? RT_LOCKED_ALL : RT_LOCKED_NOTHING;
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define WATCHED_MEMORY 1
#endif
#endif

#ifdef WATCHED_MEMORY
// Sanitizers check the bounds of heap memory only.
void *rt_reserve_memory(size_t bytes) { return calloc(1, bytes); }
void rt_populate_memory(void *memory, size_t start, size_t end) {
  (void)memory, (void)start, (void)end;
}
void rt_free_memory(void *memory, size_t bytes) {
  (void)bytes;
  free(memory);
}
#else
static const size_t huge_page = 2u << 20;

static size_t in_huge_pages(size_t bytes) { return (bytes + huge_page - 1) & ~(huge_page - 1); }

void *rt_reserve_memory(size_t bytes) {
  size_t size = in_huge_pages(bytes);
  // One huge page more, to align the start.
  char *mapped = mmap(NULL, size + huge_page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return NULL;
  char *memory = (char *)(((uintptr_t)mapped + huge_page - 1) & ~(uintptr_t)(huge_page - 1));
  if (memory > mapped) munmap(mapped, (size_t)(memory - mapped));
  munmap(memory + size, (size_t)(mapped + huge_page - memory));
  return memory;
}

void rt_populate_memory(void *memory, size_t start, size_t end) {
  char *first = (char *)memory + start;
  size_t bytes = end - start;
  size_t huge_start = in_huge_pages(start), huge_end = end & ~(huge_page - 1);
  if (huge_start < huge_end)
    madvise((char *)memory + huge_start, huge_end - huge_start, MADV_HUGEPAGE);
  // Linux 5.14 and later. Earlier ones: page by page, without a change to what another thread may write.
  if (madvise(first, bytes, MADV_POPULATE_WRITE) != 0)
    for (size_t at = 0; at < bytes; at += 4096) __atomic_fetch_or(first + at, 0, __ATOMIC_RELAXED);
}

void rt_free_memory(void *memory, size_t bytes) { munmap(memory, in_huge_pages(bytes)); }
#endif
