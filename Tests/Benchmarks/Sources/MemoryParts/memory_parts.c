// Preloaded into a program, records its allocations of a page or more with their callers. At
// SIGUSR2 it writes those that are not freed to the file named by MEMORY_PARTS, one per line: size,
// resident bytes, and return addresses, relative to the start of the program.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SMALLEST = 4096, PLACES = 1 << 14, DEPTH = 16, PAGE = 4096 };

typedef struct {
  char *start;
  size_t size;
  int depth;
  void *callers[DEPTH];
} block;

static block blocks[PLACES];
static int count;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static __thread bool is_busy;
static uintptr_t program;

static void *(*next_malloc)(size_t);
static void *(*next_calloc)(size_t, size_t);
static void *(*next_realloc)(void *, size_t);
static void (*next_free)(void *);
static int (*next_posix_memalign)(void **, size_t, size_t);
static void *(*next_aligned_alloc)(size_t, size_t);
static void *(*next_mmap)(void *, size_t, int, int, int, off_t);
static int (*next_munmap)(void *, size_t);

// Allocations of dlsym itself.
static char early[1 << 14];
static size_t early_size;

static void find_next(void) {
  if (next_munmap || is_busy) return;
  is_busy = true;
  next_malloc = dlsym(RTLD_NEXT, "malloc");
  next_realloc = dlsym(RTLD_NEXT, "realloc");
  next_free = dlsym(RTLD_NEXT, "free");
  next_posix_memalign = dlsym(RTLD_NEXT, "posix_memalign");
  next_aligned_alloc = dlsym(RTLD_NEXT, "aligned_alloc");
  next_mmap = dlsym(RTLD_NEXT, "mmap");
  next_calloc = dlsym(RTLD_NEXT, "calloc");
  next_munmap = dlsym(RTLD_NEXT, "munmap");
  is_busy = false;
}

static void add(void *start, size_t size) {
  if (!start || start == MAP_FAILED || size < SMALLEST || is_busy) return;
  is_busy = true;
  block added = {.start = start, .size = size};
  added.depth = backtrace(added.callers, DEPTH);
  pthread_mutex_lock(&mutex);
  if (count < PLACES) blocks[count++] = added;
  pthread_mutex_unlock(&mutex);
  is_busy = false;
}

static void removed(const void *start) {
  if (!start || is_busy) return;
  pthread_mutex_lock(&mutex);
  for (int i = 0; i < count; i++) {
    if (blocks[i].start != start) continue;
    blocks[i] = blocks[--count];
    break;
  }
  pthread_mutex_unlock(&mutex);
}

// A mapping can be trimmed at both ends.
static void trimmed(char *start, size_t size) {
  pthread_mutex_lock(&mutex);
  for (int i = 0; i < count; i++) {
    block *trimmed = &blocks[i];
    char *end = trimmed->start + trimmed->size;
    if (start + size <= trimmed->start || start >= end) continue;
    if (start <= trimmed->start && start + size >= end) {
      *trimmed = blocks[--count];
      i--;
    } else if (start <= trimmed->start) {
      trimmed->size = (size_t)(end - (start + size));
      trimmed->start = start + size;
    } else {
      trimmed->size = (size_t)(start - trimmed->start);
    }
  }
  pthread_mutex_unlock(&mutex);
}

void *malloc(size_t size) {
  find_next();
  if (!next_malloc) return calloc(1, size);
  void *start = next_malloc(size);
  add(start, size);
  return start;
}

void *calloc(size_t number, size_t size) {
  find_next();
  if (!next_calloc) {
    char *start = early + early_size;
    early_size += (number * size + 15) & ~(size_t)15;
    return early_size <= sizeof early ? start : NULL;
  }
  void *start = next_calloc(number, size);
  add(start, number * size);
  return start;
}

void *realloc(void *former, size_t size) {
  find_next();
  removed(former);
  void *start = next_realloc(former, size);
  add(start, size);
  return start;
}

void free(void *start) {
  if ((char *)start >= early && (char *)start < early + sizeof early) return;
  find_next();
  removed(start);
  if (next_free) next_free(start);
}

int posix_memalign(void **start, size_t alignment, size_t size) {
  find_next();
  int result = next_posix_memalign(start, alignment, size);
  if (result == 0) add(*start, size);
  return result;
}

void *aligned_alloc(size_t alignment, size_t size) {
  find_next();
  void *start = next_aligned_alloc(alignment, size);
  add(start, size);
  return start;
}

void *mmap(void *wanted, size_t size, int protection, int flags, int file, off_t offset) {
  find_next();
  void *start = next_mmap(wanted, size, protection, flags, file, offset);
  if (flags & MAP_ANONYMOUS) add(start, size);
  return start;
}

int munmap(void *start, size_t size) {
  find_next();
  trimmed(start, size);
  return next_munmap(start, size);
}

static size_t resident_bytes(const block *of) {
  char *first = (char *)((uintptr_t)of->start & ~(uintptr_t)(PAGE - 1));
  size_t pages = (size_t)(of->start + of->size - first + PAGE - 1) / PAGE, resident = 0;
  static unsigned char states[1 << 16];
  for (size_t page = 0; page < pages; page += sizeof states) {
    size_t some = pages - page < sizeof states ? pages - page : sizeof states;
    if (mincore(first + page * PAGE, some * PAGE, states) != 0) return of->size;
    for (size_t i = 0; i < some; i++) resident += states[i] & 1;
  }
  return resident * PAGE < of->size ? resident * PAGE : of->size;
}

static void write_blocks(int number) {
  (void)number;
  is_busy = true;
  const char *path = getenv("MEMORY_PARTS");
  FILE *file = path ? fopen(path, "w") : NULL;
  if (file) {
    for (int i = 0; i < count; i++) {
      fprintf(file, "%zu %zu", blocks[i].size, resident_bytes(&blocks[i]));
      for (int depth = 2; depth < blocks[i].depth; depth++)
        fprintf(file, " %lx", (unsigned long)((uintptr_t)blocks[i].callers[depth] - program));
      fputc('\n', file);
    }
    fputs("end\n", file);
    fclose(file);
  }
  is_busy = false;
}

static int find_program(struct dl_phdr_info *information, size_t size, void *argument) {
  (void)size, (void)argument;
  program = information->dlpi_addr;
  return 1;
}

__attribute__((constructor)) static void begin(void) {
  void *callers[2];
  backtrace(callers, 2);  // loads what it needs now
  dl_iterate_phdr(find_program, NULL);
  signal(SIGUSR2, write_blocks);
}
