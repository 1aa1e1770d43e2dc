// A JACK client that plays the number of each frame, so that every sample of a recording can be verified.
//
//   session-source NAME
//
// With n = the server's frame modulo 2^18, `out_2` has n, and `out_1` a hash of n, both in steps of 24-bit
// audio: `out_1` from -2^17 to 2^17 - 1, `out_2` from 0 to 2^18 - 1. Prints "ready", and runs until it is
// terminated.
#include <jack/jack.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

static jack_client_t *client;
static jack_port_t *noise, *counter;

static int process(jack_nframes_t frames, void *unused) {
  (void)unused;
  float *left = jack_port_get_buffer(noise, frames), *right = jack_port_get_buffer(counter, frames);
  uint32_t now = jack_last_frame_time(client);
  for (uint32_t at = 0; at < frames; at++) {
    uint32_t number = (now + at) & 0x3FFFF, hash = number * 2654435761u;
    hash = (hash ^ hash >> 15) * 2246822519u;
    left[at] = (float)((int32_t)(hash >> 14) - 131072) / 8388608;
    right[at] = (float)number / 8388608;
  }
  return 0;
}

int main(int count, char **arguments) {
  if (count != 2) return 64;
  client = jack_client_open(arguments[1], JackNoStartServer, NULL);
  if (!client) return 69;
  noise = jack_port_register(client, "out_1", JACK_DEFAULT_AUDIO_TYPE, JackPortIsOutput, 0);
  counter = jack_port_register(client, "out_2", JACK_DEFAULT_AUDIO_TYPE, JackPortIsOutput, 0);
  jack_set_process_callback(client, process, NULL);
  if (!noise || !counter || jack_activate(client)) return 69;
  puts("ready");
  fflush(stdout);
  for (;;) pause();
}
