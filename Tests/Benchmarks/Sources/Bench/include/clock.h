#pragma once

#include <stdint.h>
#include <time.h>

// The monotonic clock, in nanoseconds.
static inline uint64_t nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline void sleep_microseconds(uint32_t count) {
  struct timespec time = {count / 1000000, (long)(count % 1000000) * 1000};
  nanosleep(&time, NULL);
}
