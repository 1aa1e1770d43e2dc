// Prints the time at which a port begins to sound after silence, in microseconds of the system clock.
//
//   onsets PORT
#include <jack/jack.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

// The silence before an onset, in samples.
enum { SILENCE = 4800, RING = 64 };

static jack_client_t *client;
static jack_port_t *input;
static double times[RING];
static atomic_uint written;
static unsigned silent;

static double micros(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec * 1e6 + time.tv_nsec / 1e3;
}

static int process(jack_nframes_t frames, void *context) {
  (void)context;
  const float *samples = jack_port_get_buffer(input, frames);
  for (jack_nframes_t i = 0; i < frames; i++) {
    if (samples[i] == 0) {
      silent++;
      continue;
    }
    if (silent >= SILENCE) {
      unsigned at = atomic_load(&written);
      times[at % RING] = jack_frames_to_time(client, jack_last_frame_time(client) + i);
      atomic_store(&written, at + 1);
    }
    silent = 0;
  }
  return 0;
}

int main(int count, char **words) {
  if (count != 2) return 64;
  client = jack_client_open("onsets", JackNoStartServer, NULL);
  if (!client) return 69;
  input = jack_port_register(client, "in", JACK_DEFAULT_AUDIO_TYPE, JackPortIsInput, 0);
  jack_set_process_callback(client, process, NULL);
  jack_activate(client);
  if (jack_connect(client, words[1], "onsets:in") != 0) return 66;
  puts("listening");
  fflush(stdout);
  for (unsigned read = 0;; usleep(10000)) {
    while (read != atomic_load(&written)) {
      // Both clocks as close together as possible.
      double lead = 0, width = INFINITY;
      for (int i = 0; i < 10; i++) {
        double before = micros(CLOCK_REALTIME), jack = jack_get_time(), after = micros(CLOCK_REALTIME);
        if (after - before < width) width = after - before, lead = (before + after) / 2 - jack;
      }
      printf("%.0f\n", times[read++ % RING] + lead);
      fflush(stdout);
    }
  }
}
