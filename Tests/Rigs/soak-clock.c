// A wall clock that jumps: preloaded into a node, it adds the nanoseconds in the file SOAK_CLOCK, as a 64-bit
// number, to the time of day. Other clocks are unchanged. (Under libfaketime, Swift programs get no
// arguments.)
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const int64_t second = 1000000000;
static const volatile int64_t *leap;
static int (*get)(clockid_t, struct timespec *);

static int (*found(void))(clockid_t, struct timespec *) {
  if (!get) get = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
  return get;
}

__attribute__((constructor)) static void begin(void) {
  found();
  const char *path = getenv("SOAK_CLOCK");
  int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) return;
  void *memory = mmap(NULL, sizeof *leap, PROT_READ, MAP_SHARED, file, 0);
  close(file);
  if (memory != MAP_FAILED) leap = memory;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  int status = found()(clock, time);
  if (status || !leap || (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE)) return status;
  int64_t all = time->tv_sec * second + time->tv_nsec + *leap;
  time->tv_sec = all / second;
  time->tv_nsec = all % second;
  return 0;
}

int gettimeofday(struct timeval *restrict value, void *restrict zone) {
  (void)zone;
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  value->tv_sec = time.tv_sec;
  value->tv_usec = time.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *out) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME_COARSE, &now);
  if (out) *out = now.tv_sec;
  return now.tv_sec;
}
