#include "times.h"

#include "clock.h"
#include "ending.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PATIENCE_SECONDS = 60 };

bool look_at_times(timed_client *client, const char *path) {
  void *memory = MAP_FAILED;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file >= 0) {
    memory = mmap(NULL, sizeof(callback_samples), PROT_READ, MAP_SHARED, file, 0);
    close(file);
  }
  client->samples = memory == MAP_FAILED ? NULL : memory;
  if (!client->samples) fprintf(stderr, "no times of %s\n", client->name);
  return client->samples;
}

static uint64_t count_blocks(const timed_client *client) {
  return atomic_load_explicit(&client->samples->count, memory_order_acquire);
}

bool wait_for_blocks(const timed_client *clients, size_t count, uint64_t blocks) {
  uint64_t deadline = nanoseconds() + PATIENCE_SECONDS * 1000000000ull;
  for (size_t i = 0; i < count; i++) {
    while (count_blocks(&clients[i]) < clients[i].start + blocks) {
      if (is_ending()) return false;
      if (nanoseconds() > deadline) {
        fprintf(stderr, "%s processes no blocks\n", clients[i].name);
        return false;
      }
      sleep_microseconds(10000);
    }
  }
  return true;
}

bool skip_blocks(timed_client *clients, size_t count, uint64_t blocks) {
  for (size_t i = 0; i < count; i++) clients[i].start = count_blocks(&clients[i]);
  if (!wait_for_blocks(clients, count, blocks)) return false;
  for (size_t i = 0; i < count; i++) clients[i].start = count_blocks(&clients[i]);
  return true;
}

void take_times(const timed_client *client, double *microseconds, uint64_t blocks) {
  for (uint64_t i = 0; i < blocks; i++) {
    microseconds[i] = client->samples->nanoseconds[(client->start + i) % SAMPLE_COUNT] / 1000.0;
  }
}
