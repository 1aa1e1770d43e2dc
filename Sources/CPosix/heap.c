#define _GNU_SOURCE
#include "CPosix.h"

#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

// malloc allocates from the program's heap and from those of other arenas, which start at multiples of their
// maximum size. Larger blocks are mapped separately.
#define ARENA_SIZE ((uintptr_t)64 << 20)
#define MOST_RANGES 64

typedef struct {
  void *start;
  size_t size;
} range;

void px_return_freed_memory(void) {
  mallopt(M_MMAP_THRESHOLD, 128 * 1024);
  mallopt(M_ARENA_MAX, 2);
}

static size_t locked_kilobytes(void) {
  FILE *status = fopen("/proc/self/status", "re");
  if (!status) return 0;
  char line[256];
  size_t found = 0;
  while (fgets(line, sizeof line, status))
    if (sscanf(line, "VmLck: %zu", &found) == 1) break;
  fclose(status);
  return found;
}

static int heap_ranges(range *ranges) {
  FILE *maps = fopen("/proc/self/maps", "re");
  if (!maps) return 0;
  char line[512];
  int count = 0;
  while (count < MOST_RANGES && fgets(line, sizeof line, maps)) {
    uintptr_t start, end;
    unsigned long inode;
    char access[5];
    if (sscanf(line, "%lx-%lx %4s %*s %*s %lu", &start, &end, access, &inode) != 4) continue;
    if (strncmp(access, "rw", 2) != 0 || inode != 0) continue;
    if (!strstr(line, "[heap]") && (start % ARENA_SIZE != 0 || strchr(line, '['))) continue;
    ranges[count++] = (range){(void *)start, end - start};
  }
  fclose(maps);
  return count;
}

void px_trim_freed_memory(void) {
  // The kernel doesn't release locked pages, so they are unlocked for a moment. They stay resident meanwhile
  // unless memory is short.
  range ranges[MOST_RANGES];
  int count = locked_kilobytes() > 0 ? heap_ranges(ranges) : 0;
  for (int index = 0; index < count; index++) munlock(ranges[index].start, ranges[index].size);
  malloc_trim(0);
  // A heap that has shrunk is locked up to its new end.
  for (int index = 0; index < count; index++)
    mlock2(ranges[index].start, ranges[index].size, MLOCK_ONFAULT);
}
