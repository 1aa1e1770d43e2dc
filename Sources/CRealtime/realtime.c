#define _GNU_SOURCE
#include "CRealtime.h"

#include <linux/capability.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

__attribute__((weak)) void __rtsan_realtime_enter(void);
__attribute__((weak)) void __rtsan_realtime_exit(void);

void rt_enter(void) {
  if (__rtsan_realtime_enter) __rtsan_realtime_enter();
}

void rt_exit(void) {
  if (__rtsan_realtime_exit) __rtsan_realtime_exit();
}

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
  // With a finite limit, locking what is to come would make later allocations fail.
  if (rt_lockable_kilobytes() >= 0) return RT_LOCKED_NOTHING;
  return mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT) == 0 ? RT_LOCKED_ALL : RT_LOCKED_NOTHING;
}
