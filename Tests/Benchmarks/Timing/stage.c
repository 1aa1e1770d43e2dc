// Plays MIDI on exact frames and records the result: `stage FILE SECONDS PORT...`.
//
// Two JACK clients, so that a program between them is recorded without a period of delay: `sender-PID` with
// the ports `midi` and `sound`, and `recorder-PID` with an input for each PORT. The names differ from run to
// run, because the node restores connections. Reads lines "FRAME BYTE..." (hexadecimal bytes) up to an empty
// one, prints "ready", waits for the end of the input while the caller connects the other ports, and prints
// "start MICROSECONDS", the time of frame 0 by CLOCK_MONOTONIC. `sound` encodes the number of each frame as
// 1/8 + (FRAME % 2^19) / 2^21. At the end it writes the recordings, one after the other, as floats to FILE,
// and prints the frames that JACK lost, and the xruns. With TICKS, it also writes each byte at its time to
// the pipe of that name.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <jack/jack.h>
#include <jack/midiport.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 64, BYTES = 3 };
static struct event { long frame; int count; unsigned char bytes[BYTES]; } *events;
static size_t event_count, next_event;
static jack_port_t *midi, *sound, *inputs[MOST];
static float *tape;
static long length;
static int input_count;
static jack_nframes_t first;
static atomic_llong zero = INT64_MAX;
static atomic_int rolling, xruns, gaps;
static struct { long at, frames; } lost[4096];

static int send_events(jack_nframes_t frames, void *client) {
  void *buffer = jack_port_get_buffer(midi, frames);
  float *out = jack_port_get_buffer(sound, frames);
  jack_midi_clear_buffer(buffer);
  memset(out, 0, frames * sizeof *out);
  if (!rolling) return 0;
  long now = (int)(jack_last_frame_time(client) - first);
  for (long i = 0; i < frames; i++) out[i] = 0.125f + (float)((now + i) & 0x7ffff) / 0x200000;
  for (; next_event < event_count && events[next_event].frame < now + (long)frames; next_event++) {
    struct event *event = &events[next_event];
    // After lost frames, late ones are sent at once.
    long at = event->frame > now ? event->frame - now : 0;
    jack_midi_event_write(buffer, at, event->bytes, event->count);
  }
  return 0;
}

static int record(jack_nframes_t frames, void *client) {
  static long expected;
  if (!rolling) return 0;
  long now = (int)(jack_last_frame_time(client) - first);
  // The earliest buffer is the least delayed: JACK's own estimate suffers from xruns before.
  long long begin = (long long)jack_get_time() - now * 1000000LL / 48000;
  if (begin < zero) zero = begin;
  if (now < 0) return 0;
  if (expected && now != expected && gaps < 4096) {
    lost[gaps].at = now;
    lost[gaps++].frames = now - expected;
  }
  expected = now + frames;
  for (int i = 0; i < input_count; i++) {
    float *in = jack_port_get_buffer(inputs[i], frames);
    if (now + (long)frames <= length) memcpy(tape + i * length + now, in, frames * sizeof *in);
  }
  return 0;
}

static int count_xrun(void *unused) {
  (void)unused;
  if (rolling) xruns++;
  return 0;
}

// For programs that take no MIDI from JACK: writes each byte when its frame is due.
static void *hand_over(void *unused) {
  (void)unused;
  int pipe = open(getenv("TICKS"), O_WRONLY);
  for (size_t i = 0; pipe >= 0 && i < event_count; i++) {
    long long due = zero + events[i].frame * 1000000LL / 48000;
    struct timespec at = {due / 1000000, due % 1000000 * 1000};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR) {}
    if (write(pipe, events[i].bytes, events[i].count) < 0) break;
  }
  return NULL;
}

static jack_client_t *join(const char *role, JackProcessCallback process) {
  char name[32];
  snprintf(name, sizeof name, "%s-%d", role, getpid());
  jack_client_t *client = jack_client_open(name, JackNoStartServer | JackUseExactName, NULL);
  if (!client) exit(69);
  jack_set_process_callback(client, process, client);
  return client;
}

// Waits until the server has run some frames.
static void pass(jack_client_t *client, jack_nframes_t frames) {
  jack_nframes_t start = jack_last_frame_time(client);
  while (jack_last_frame_time(client) - start < frames) usleep(1000);
}

int main(int count, char **arguments) {
  length = count > 2 ? atol(arguments[2]) * 48000 : 0;
  if (length <= 0 || count - 3 > MOST) return 64;
  input_count = count - 3;
  // Written once, so that no page is missing later.
  tape = malloc((input_count * length + 1) * sizeof *tape);
  memset(tape, 0, input_count * length * sizeof *tape);
  char line[64];
  while (fgets(line, sizeof line, stdin) && *line != '\n') {
    events = realloc(events, (event_count + 1) * sizeof *events);
    struct event *event = &events[event_count];
    char *rest;
    event->frame = strtol(line, &rest, 10);
    for (event->count = 0; event->count < BYTES && *rest > '\n'; event->count++) {
      event->bytes[event->count] = strtol(rest, &rest, 16);
    }
    event_count++;
  }
  jack_client_t *sender = join("sender", send_events), *recorder = join("recorder", record);
  midi = jack_port_register(sender, "midi", JACK_DEFAULT_MIDI_TYPE, JackPortIsOutput, 0);
  sound = jack_port_register(sender, "sound", JACK_DEFAULT_AUDIO_TYPE, JackPortIsOutput, 0);
  for (int i = 0; i < input_count; i++) {
    char name[16];
    snprintf(name, sizeof name, "in_%d", i + 1);
    inputs[i] = jack_port_register(recorder, name, JACK_DEFAULT_AUDIO_TYPE, JackPortIsInput, 0);
    if (!inputs[i]) return 69;
  }
  jack_set_xrun_callback(recorder, count_xrun, NULL);
  if (jack_activate(sender) || jack_activate(recorder)) return 69;
  for (int i = 0; i < input_count; i++) {
    if (jack_connect(recorder, arguments[i + 3], jack_port_name(inputs[i]))) {
      fprintf(stderr, "stage: no port %s\n", arguments[i + 3]);
      return 69;
    }
  }
  puts("ready");
  fflush(stdout);
  // The caller connects the others, which costs xruns, and ends the input.
  while (fgets(line, sizeof line, stdin)) {}
  pass(recorder, 24000);
  first = jack_frame_time(sender) + 4800;
  rolling = 1;
  // The earliest of these blocks gives the time of the first frame.
  pass(recorder, 24000);
  pthread_t thread;
  if (getenv("TICKS")) pthread_create(&thread, NULL, hand_over, NULL);
  printf("start %lld\n", (long long)zero);
  fflush(stdout);
  sleep(length / 48000 + 1);
  for (int i = 0; i < gaps; i++) printf("lost %ld %ld\n", lost[i].at, lost[i].frames);
  printf("xruns %d\n", xruns);
  rolling = 0;
  jack_client_close(recorder);
  jack_client_close(sender);
  FILE *file = fopen(arguments[1], "wb");
  if (!file || fwrite(tape, sizeof *tape, input_count * length, file) != (size_t)(input_count * length)) {
    return 74;
  }
  return fclose(file) ? 74 : 0;
}
