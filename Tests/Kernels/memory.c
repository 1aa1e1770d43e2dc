// Tests of machine-dependent behavior: denormals, and memory in huge pages.
#define _DEFAULT_SOURCE
#include "check.h"

#include <CRealtime.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

// The number of nonzero products among four: with a denormal result or operand, in both precisions.
static int keeps_denormals(void) {
  volatile float small = 0x1p-100f, smaller = 0x1p-140f, large = 0x1p20f;
  volatile double slight = 0x1p-600, slighter = 0x1p-1060, vast = 0x1p50;
  const volatile float made = small * 0x1p-40f, taken = smaller * large;
  const volatile double made_double = slight * 0x1p-460, taken_double = slighter * vast;
  return (made != 0) + (taken != 0) + (made_double != 0) + (taken_double != 0);
}

// The number of resident pages of a range of memory.
static size_t resident_pages(char *memory, size_t bytes) {
  unsigned char pages[(5 << 20) / 4096];
  if (mincore(memory, bytes, pages) != 0) return 0;
  size_t count = 0;
  for (size_t page = 0; page < bytes / 4096; page++) count += pages[page] & 1;
  return count;
}

void check_memory(void) {
  if (keeps_denormals() != 4) fault("denormals are flushed before the test");
  rt_flush_denormals();
  if (keeps_denormals() != 0) fault("%d of 4 kinds of denormals are not flushed", keeps_denormals());

  // qemu's madvise does nothing and succeeds: residency is tested on this machine's own processor.
  const int is_emulated = getenv("IS_EMULATED") != NULL;
  const size_t bytes = 5 << 20, some = 3 << 19;
  char *memory = rt_reserve_memory(bytes);
  if (!memory || (uintptr_t)memory % (2 << 20) != 0)
    fault("the memory at %p is not aligned to a huge page", (void *)memory);
  if (!memory) return;
  if (resident_pages(memory, bytes) != 0) fault("reserved memory is resident");
  rt_populate_memory(memory, 0, some);
  if (!is_emulated && resident_pages(memory, bytes) < some / 4096)
    fault("populated memory is not resident");
  // The rest, and some of the memory already written to.
  memory[some - 1] = 2;
  rt_populate_memory(memory, some - 4096, bytes);
  if (!is_emulated && resident_pages(memory, bytes) != bytes / 4096)
    fault("populated memory is not all resident");
  if (memory[some - 1] != 2) fault("populating memory changed it");
  memory[some - 1] = 0;
  for (size_t at = 0; at < bytes; at++)
    if (memory[at] != 0) fault("byte %zu of new memory is not 0", at);
  memory[0] = memory[bytes - 1] = 1;
  rt_free_memory(memory, bytes);
}
