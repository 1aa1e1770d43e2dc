// Preloaded into a JACK client, times its process callback from outside. The times go to the file
// named by CALLBACK_TIMES.
#define _GNU_SOURCE
#include "clock.h"
#include "samples.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <jack/jack.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static JackProcessCallback measured;
static callback_samples *samples;

static int measure(jack_nframes_t frames, void *argument) {
  uint64_t start = nanoseconds();
  int result = measured(frames, argument);
  uint64_t end = nanoseconds();
  uint64_t count = atomic_load_explicit(&samples->count, memory_order_relaxed);
  samples->nanoseconds[count % SAMPLE_COUNT] = (uint32_t)(end - start);
  // Publishes the time to the reader of the file.
  atomic_store_explicit(&samples->count, count + 1, memory_order_release);
  return result;
}

static callback_samples *map_samples(void) {
  const char *path = getenv("CALLBACK_TIMES");
  int file = path ? open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
  if (file < 0) return NULL;
  void *memory = MAP_FAILED;
  if (ftruncate(file, sizeof *samples) == 0) {
    memory = mmap(
        NULL, sizeof *samples, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file, 0);
  }
  close(file);
  return memory == MAP_FAILED ? NULL : memory;
}

int jack_set_process_callback(jack_client_t *client, JackProcessCallback callback, void *argument) {
  int (*set)(jack_client_t *, JackProcessCallback, void *) =
      dlsym(RTLD_NEXT, "jack_set_process_callback");
  if (!samples) samples = map_samples();
  if (!samples) {
    fputs("callback timer: CALLBACK_TIMES names no file that can be written\n", stderr);
    return -1;
  }
  measured = callback;
  return set(client, measure, argument);
}
