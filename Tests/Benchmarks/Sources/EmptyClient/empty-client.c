#include "empty-client.h"

#include "clock.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

static _Atomic uint64_t rounds_of_block;
static volatile uint64_t result;

// Each iteration depends on the one before.
static void calculate(uint64_t rounds) {
  uint64_t number = result;
  for (uint64_t round = 0; round < rounds; round++) {
    number = number * 6364136223846793005u + 1442695040888963407u;
    __asm__ volatile("" : "+r"(number));
  }
  result = number;
}

static int keep_to_itself(jack_nframes_t frames, void *argument) {
  (void)frames, (void)argument;
  const uint64_t rounds = atomic_load_explicit(&rounds_of_block, memory_order_relaxed);
  if (rounds) calculate(rounds);
  return 0;
}

void keep_busy(uint64_t rounds) { atomic_store(&rounds_of_block, rounds); }

uint64_t rounds_within(double microseconds) {
  enum { ROUNDS = 100000, TRIES = 20 };
  double least = 1e9;
  for (int attempt = 0; attempt < TRIES; attempt++) {
    const uint64_t start = nanoseconds();
    calculate(ROUNDS);
    const double taken = (double)(nanoseconds() - start) / 1000;
    if (taken < least) least = taken;
  }
  return (uint64_t)(ROUNDS * microseconds / least);
}

static bool begin(jack_client_t *client, const char *source) {
  jack_port_t *port = NULL;
  if (source) {
    port = jack_port_register(client, "in", JACK_DEFAULT_AUDIO_TYPE, JackPortIsInput, 0);
    if (!port) return false;
  }
  if (jack_set_process_callback(client, keep_to_itself, NULL) != 0) return false;
  if (jack_activate(client) != 0) return false;
  return !port || jack_connect(client, source, jack_port_name(port)) == 0;
}

jack_client_t *join_empty(const char *source) {
  jack_client_t *client = jack_client_open(EMPTY_CLIENT_NAME, JackNoStartServer, NULL);
  if (!client || begin(client, source)) return client;
  jack_client_close(client);
  return NULL;
}
