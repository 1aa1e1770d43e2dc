// Compares the times that the callback timer has noted for several clients of one graph, over
// the same blocks.
#include "clock.h"
#include "ending.h"
#include "samples.h"
#include "statistics.h"
#include "table.h"

#include <fcntl.h>
#include <jack/jack.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { WARM_UP_BLOCKS = 2000, BLOCKS = 16000, PATIENCE_SECONDS = 60 };
enum { NODE, LOOPER, THRU, EMPTY, CLIENTS };

typedef struct {
  const char *name;
  callback_samples *samples;
  double sorted[BLOCKS];
} client_times;

static client_times clients[CLIENTS] = {
    [NODE] = {.name = "syrinx"},
    [LOOPER] = {.name = "sooperlooper"},
    [THRU] = {.name = "jack_thru"},
    [EMPTY] = {.name = "empty callback"},
};

static int do_nothing(jack_nframes_t frames, void *argument) {
  (void)frames, (void)argument;
  return 0;
}

// A client that does nothing, in the same graph and under the same timer: what it takes is what
// the timer itself takes there, with the caches as cold as they are for the others.
static jack_client_t *join_empty(void) {
  jack_client_t *client = jack_client_open("bench-empty", JackNoStartServer, NULL);
  if (!client) return NULL;
  if (jack_set_process_callback(client, do_nothing, NULL) == 0 && jack_activate(client) == 0) {
    return client;
  }
  jack_client_close(client);
  return NULL;
}

static callback_samples *map(const char *path) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return NULL;
  void *memory = mmap(NULL, sizeof(callback_samples), PROT_READ, MAP_SHARED, file, 0);
  close(file);
  return memory == MAP_FAILED ? NULL : memory;
}

static uint64_t count(const client_times *client) {
  return atomic_load_explicit(&client->samples->count, memory_order_acquire);
}

// Waits until each client has gone so many blocks beyond its start.
static bool wait_for(const uint64_t *starts, uint64_t blocks) {
  uint64_t deadline = nanoseconds() + PATIENCE_SECONDS * 1000000000ull;
  for (int i = 0; i < CLIENTS; i++) {
    while (count(&clients[i]) < starts[i] + blocks) {
      if (is_ending()) return false;
      if (nanoseconds() > deadline) {
        fprintf(stderr, "callback-times: %s processes no blocks\n", clients[i].name);
        return false;
      }
      sleep_microseconds(10000);
    }
  }
  return true;
}

static void collect(client_times *client, uint64_t start) {
  for (uint64_t i = 0; i < BLOCKS; i++) {
    client->sorted[i] = client->samples->nanoseconds[(start + i) % SAMPLE_COUNT] / 1000.0;
  }
  sort_values(client->sorted, BLOCKS);
}

static bool measure(char **paths) {
  uint64_t starts[CLIENTS];
  for (int i = 0; i < CLIENTS; i++) {
    clients[i].samples = map(paths[i]);
    if (!clients[i].samples) {
      fprintf(stderr, "callback-times: there are no times of %s\n", clients[i].name);
      return false;
    }
    starts[i] = count(&clients[i]);
  }
  if (!wait_for(starts, WARM_UP_BLOCKS)) return false;
  for (int i = 0; i < CLIENTS; i++) starts[i] = count(&clients[i]);
  if (!wait_for(starts, BLOCKS)) return false;
  for (int i = 0; i < CLIENTS; i++) collect(&clients[i], starts[i]);
  return true;
}

static void report(const char *label, double share, goal_kind goal) {
  for (int i = LOOPER; i < CLIENTS; i++) {
    print_row((table_row){
        .label = i == LOOPER ? label : "",
        .unit = "us",
        .figure = quantile(clients[NODE].sorted, BLOCKS, share),
        .peer = clients[i].name,
        .peer_figure = quantile(clients[i].sorted, BLOCKS, share),
        .goal = i == LOOPER ? goal : NO_GOAL,
        .limit = 1.0 / 3,
    });
  }
}

int main(int count_of_arguments, char **arguments) {
  if (count_of_arguments != 1 + CLIENTS) {
    fputs("usage: callback-times NODE LOOPER THRU EMPTY: their files of times\n", stderr);
    return 64;
  }
  end_politely();
  jack_client_t *empty = join_empty();
  if (!empty) {
    fputs("callback-times: can't join the JACK server\n", stderr);
    return 69;
  }
  bool is_done = measure(arguments + 1);
  jack_client_close(empty);
  if (!is_done) return 1;
  report("idle callback, median", 0.5, RATIO_AT_MOST);
  report("idle callback, 99.9 of 100 below", 0.999, NO_GOAL);
  return 0;
}
