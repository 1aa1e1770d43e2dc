// A JACK client for the rig `card`: it waits for a server, plays into the node, and records what the node plays.
//
//   card-stage NAME FILE [OUTPUT>INPUT]...
//
// `pulses` plays 100 samples of 0.5 twice a second, on top of 0.02; `layer` plays 0.01. The pairs are connected as
// soon as both ports exist. FILE receives two floats per frame, those of its inputs `loop` and `click`. Prints to
// standard output, with times in microseconds of CLOCK_MONOTONIC:
//
//   open TIME                     the server has accepted it
//   start TIME FRAME RATE BLOCK   the first frame in FILE
//   sound TIME                    the first sample above 0.01 at `loop`
//   lost FRAMES                   frames that are missing in FILE, by an xrun
//   gone TIME                     the server has ended, and so does the client
#include <jack/jack.h>
#include <jack/ringbuffer.h>
#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static jack_client_t *client;
static jack_port_t *pulses, *layer, *loop, *click;
static jack_ringbuffer_t *sound;
static atomic_int gone, stopped;
static atomic_uint lost;
static _Atomic double first_time, first_sound;
static atomic_uint first_frame;
static unsigned next_frame;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e6 + time.tv_nsec * 1e-3;
}

static int process(jack_nframes_t frames, void *unused) {
  (void)unused;
  unsigned frame = jack_last_frame_time(client), rate = jack_get_sample_rate(client);
  float *pulse = jack_port_get_buffer(pulses, frames), *dc = jack_port_get_buffer(layer, frames);
  float *from = jack_port_get_buffer(loop, frames), *clicks = jack_port_get_buffer(click, frames);
  if (first_time == 0) {
    first_frame = frame;
    first_time = now();
  } else if (frame != next_frame) {
    lost += frame - next_frame;
  }
  next_frame = frame + frames;
  for (unsigned index = 0; index < frames; index++) {
    pulse[index] = 0.02f + ((frame + index) % (rate / 2) < 100 ? 0.48f : 0);
    dc[index] = 0.01f;
    if (first_sound == 0 && fabsf(from[index]) > 0.01f) first_sound = now();
    float pair[2] = {from[index], clicks[index]};
    if (jack_ringbuffer_write(sound, (char *)pair, sizeof pair) < sizeof pair) lost += 1;
  }
  return 0;
}

static void end(void *unused) {
  (void)unused;
  gone = 1;
}

static void stop(int number) {
  (void)number;
  stopped = 1;
}

static void silent(const char *text) { (void)text; }

static void connect_pair(const char *pair) {
  char from[256];
  const char *to = strchr(pair, '>');
  snprintf(from, sizeof from, "%.*s", (int)(to - pair), pair);
  if (jack_port_by_name(client, from) && jack_port_by_name(client, to + 1)) {
    jack_connect(client, from, to + 1);
  }
}

int main(int count, char **words) {
  if (count < 3) {
    fprintf(stderr, "usage: card-stage NAME FILE [OUTPUT>INPUT]...\n");
    return 64;
  }
  setvbuf(stdout, NULL, _IOLBF, 0);
  signal(SIGTERM, stop);
  jack_set_error_function(silent);
  jack_set_info_function(silent);
  FILE *file = fopen(words[2], "wb");
  if (!file) return 73;
  while (!(client = jack_client_open(words[1], JackNoStartServer | JackUseExactName, NULL))) {
    if (stopped) return 0;
    usleep(10000);
  }
  printf("open %.0f\n", now());
  sound = jack_ringbuffer_create(1 << 24);
  pulses = jack_port_register(client, "pulses", JACK_DEFAULT_AUDIO_TYPE, JackPortIsOutput, 0);
  layer = jack_port_register(client, "layer", JACK_DEFAULT_AUDIO_TYPE, JackPortIsOutput, 0);
  loop = jack_port_register(client, "loop", JACK_DEFAULT_AUDIO_TYPE, JackPortIsInput, 0);
  click = jack_port_register(client, "click", JACK_DEFAULT_AUDIO_TYPE, JackPortIsInput, 0);
  jack_set_process_callback(client, process, NULL);
  jack_on_shutdown(client, end, NULL);
  if (jack_activate(client) != 0) return 69;
  unsigned told_lost = 0;
  int has_started = 0, has_sounded = 0;
  static char chunk[1 << 16];
  while (!gone && !stopped) {
    for (int index = 3; index < count; index++) connect_pair(words[index]);
    size_t bytes;
    while ((bytes = jack_ringbuffer_read(sound, chunk, sizeof chunk)) > 0) {
      fwrite(chunk, 1, bytes, file);
    }
    fflush(file);
    if (first_time > 0 && !has_started) {
      has_started = 1;
      printf("start %.0f %u %u %u\n", first_time, first_frame, jack_get_sample_rate(client),
             jack_get_buffer_size(client));
    }
    if (first_sound > 0 && !has_sounded) {
      has_sounded = 1;
      printf("sound %.0f\n", first_sound);
    }
    if (lost != told_lost) printf("lost %u\n", (told_lost = lost));
    usleep(10000);
  }
  if (gone) printf("gone %.0f\n", now());
  // A client that closes after its server has died may hang.
  fflush(stdout);
  _exit(0);
}
