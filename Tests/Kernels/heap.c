// Tests that freed memory is returned to the system even while it is locked: in malloc's first arena, and in
// another.
#define _GNU_SOURCE
#include "check.h"

#include <CPosix.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define BLOCKS 2000
// Below the size at which malloc maps blocks separately.
#define BYTES 30000
// One of this many blocks stays in use.
#define KEPT 20

static long resident_bytes(void) {
  long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file) return 0;
  if (fscanf(file, "%*d %ld", &pages) != 1) pages = 0;
  fclose(file);
  return pages * 4096;
}

static void *check_arena(void *name) {
  static char *blocks[BLOCKS];
  const long before = resident_bytes();
  for (int each = 0; each < BLOCKS; each++) {
    blocks[each] = malloc(BYTES);
    if (!blocks[each]) return NULL;
    memset(blocks[each], each % KEPT + 1, BYTES);
  }
  const long full = resident_bytes() - before;
  if (full < BLOCKS * (long)BYTES * 9 / 10) fault("%s: %ld bytes are resident", (char *)name, full);
  for (int each = 0; each < BLOCKS; each++)
    if (each % KEPT) free(blocks[each]);
  px_trim_freed_memory();
  const long rest = resident_bytes() - before;
  if (rest > full / 5) fault("%s: of %ld bytes %ld stay resident, though most were freed", (char *)name, full, rest);
  for (int each = 0; each < BLOCKS; each += KEPT) {
    for (int at = 0; at < BYTES; at++)
      if (blocks[each][at] != 1) fault("%s: byte %d of block %d has changed", (char *)name, at, each);
    free(blocks[each]);
  }
  return NULL;
}

void check_heap(void) {
  // qemu's madvise does nothing and succeeds.
  if (getenv("IS_EMULATED")) return;
  px_return_freed_memory();
  // Without permission to lock memory, this tests unlocked memory.
  (void)mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT);
  check_arena("the first arena");
  pthread_t thread;
  if (pthread_create(&thread, NULL, check_arena, "another arena") == 0) pthread_join(thread, NULL);
  // The flags of the heap show whether it is still locked.
  FILE *maps = fopen("/proc/self/smaps", "r");
  char line[512];
  int is_heap = 0, is_locked = 0, locks = 0;
  while (maps && fgets(line, sizeof line, maps)) {
    if (strstr(line, "[heap]")) is_heap = 1;
    if (strncmp(line, "VmFlags:", 8) != 0) continue;
    locks += strstr(line, " lo") != NULL;
    if (is_heap) is_locked |= strstr(line, " lo") != NULL;
    is_heap = 0;
  }
  if (maps) fclose(maps);
  if (locks && !is_locked) fault("the heap is not locked after its freed memory was returned");
  munlockall();
}
