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

// With a finite limit that binds this process, locking what is to come would make its later
// allocations fail.
static int limit_binds(void) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {0};
  if (syscall(SYS_capget, &header, data) == 0 && (data[0].effective >> CAP_IPC_LOCK & 1)) return 0;
  struct rlimit limit;
  return getrlimit(RLIMIT_MEMLOCK, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY;
}

rt_locked rt_lock_memory(void) {
  if (limit_binds()) return RT_LOCKED_NOTHING;
  return mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT) == 0 ? RT_LOCKED_ALL : RT_LOCKED_NOTHING;
}
