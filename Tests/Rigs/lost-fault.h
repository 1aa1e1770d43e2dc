// A request for a fault, in a file that the rig and its programs map: its kind and length.
#pragma once

#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { FAULT_NONE, FAULT_BURN, FAULT_SLEEP, FAULT_PAGES, FAULT_DISK };

struct order {
  _Atomic int32_t kind;
  int32_t milliseconds;
};

static inline struct order *map_order(const char *path) {
  int file = open(path, O_RDWR);
  void *map = mmap(NULL, sizeof(struct order), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  return map == MAP_FAILED ? NULL : map;
}

static inline double milliseconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static inline void burn(double milliseconds) {
  double end = milliseconds_now() + milliseconds;
  while (milliseconds_now() < end) {
  }
}
