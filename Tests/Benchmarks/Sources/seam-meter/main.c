// Plays a tone into loopers, and measures the part of their output that is not the tone.
//
//   seam-meter INPUTS -- OUTPUT...
//
// Each input line names the next action. For the time until the next line it prints, for each
// output, the peak level above 6 kHz in dB relative to the tone, and the number of xruns, each of
// which is a click of its own.
#include "ending.h"

#include <jack/jack.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4, SECTIONS = 4, WINDOWS = 64, NAME = 64 };

static const double tone_level = 0.1, tone_hertz = 301, corner_hertz = 6000;

typedef struct {
  double b0, b1, b2, a1, a2;
} section;
typedef struct {
  double x1, x2, y1, y2;
} memory;

// An eighth-order Butterworth high-pass: it attenuates the tone by 208 dB.
static section sections[SECTIONS];
static memory memories[MOST][SECTIONS];
static jack_port_t *source, *heard[MOST];
static int heard_count;
static double phase, step;
static _Atomic int window;
static double peaks[WINDOWS][MOST];
static _Atomic int lost[WINDOWS];

static void design(double rate) {
  double turn = 2 * M_PI * corner_hertz / rate, cosine = cos(turn);
  for (int i = 0; i < SECTIONS; i++) {
    double q = 1 / (2 * cos(M_PI * (2 * i + 1) / (4.0 * SECTIONS)));
    double alpha = sin(turn) / (2 * q), a0 = 1 + alpha;
    sections[i] = (section){(1 + cosine) / 2 / a0, -(1 + cosine) / a0, (1 + cosine) / 2 / a0,
        -2 * cosine / a0, (1 - alpha) / a0};
  }
  step = 2 * M_PI * tone_hertz / rate;
}

static double filtered(memory *m, double x) {
  for (int i = 0; i < SECTIONS; i++) {
    const section *s = &sections[i];
    double y = s->b0 * x + s->b1 * m[i].x1 + s->b2 * m[i].x2 - s->a1 * m[i].y1 - s->a2 * m[i].y2;
    m[i].x2 = m[i].x1;
    m[i].x1 = x;
    m[i].y2 = m[i].y1;
    m[i].y1 = y;
    x = y;
  }
  return x;
}

static int process(jack_nframes_t frames, void *argument) {
  (void)argument;
  int now = atomic_load_explicit(&window, memory_order_acquire);
  float *tone = jack_port_get_buffer(source, frames);
  for (jack_nframes_t i = 0; i < frames; i++) {
    tone[i] = (float)(tone_level * sin(phase));
    phase = fmod(phase + step, 2 * M_PI);
  }
  for (int port = 0; port < heard_count; port++) {
    const float *sound = jack_port_get_buffer(heard[port], frames);
    for (jack_nframes_t i = 0; i < frames; i++) {
      double level = fabs(filtered(memories[port], sound[i]));
      if (level > peaks[now][port]) peaks[now][port] = level;
    }
  }
  return 0;
}

static int note_lost(void *argument) {
  (void)argument;
  lost[window]++;
  return 0;
}

static int fail(const char *what, const char *which) {
  fprintf(stderr, "seam-meter: can't %s %s\n", what, which);
  return 69;
}

int main(int count, char **arguments) {
  int parted = 1;
  while (parted < count && strcmp(arguments[parted], "--") != 0) parted++;
  heard_count = count - parted - 1;
  if (parted == 1 || heard_count < 1 || heard_count > MOST) {
    fputs("usage: seam-meter INPUT... -- OUTPUT...\n", stderr);
    return 64;
  }
  end_politely();
  jack_client_t *client = jack_client_open("bench-seams", JackNoStartServer, NULL);
  if (!client) return fail("join", "the JACK server");
  design(jack_get_sample_rate(client));
  source = jack_port_register(client, "tone", JACK_DEFAULT_AUDIO_TYPE, JackPortIsOutput, 0);
  for (int i = 0; i < heard_count; i++) {
    char name[16];
    snprintf(name, sizeof name, "heard_%d", i + 1);
    heard[i] = jack_port_register(client, name, JACK_DEFAULT_AUDIO_TYPE, JackPortIsInput, 0);
    if (!heard[i]) return fail("have", name);
  }
  jack_set_process_callback(client, process, NULL);
  jack_set_xrun_callback(client, note_lost, NULL);
  if (!source || jack_activate(client) != 0) return fail("join", "the graph");
  for (int i = 1; i < parted; i++)
    if (jack_connect(client, jack_port_name(source), arguments[i]) != 0)
      return fail("connect to", arguments[i]);
  for (int i = 0; i < heard_count; i++)
    if (jack_connect(client, arguments[parted + 1 + i], jack_port_name(heard[i])) != 0)
      return fail("connect to", arguments[parted + 1 + i]);
  puts("ready");
  fflush(stdout);
  char name[NAME] = "", next[NAME];
  int number = 0, goes_on = 1;
  while (goes_on) {
    goes_on = fgets(next, sizeof next, stdin) != NULL;
    // The first window still has the previous sound.
    int ended = number;
    if (goes_on && number + 1 < WINDOWS)
      atomic_store_explicit(&window, ++number, memory_order_release);
    if (ended > 0) {
      printf("%s", name);
      for (int i = 0; i < heard_count; i++)
        printf("\t%.1f", 20 * log10(fmax(peaks[ended][i], 1e-12) / tone_level));
      printf("\t%d\n", lost[ended]);
      fflush(stdout);
    }
    if (goes_on) {
      next[strcspn(next, "\n")] = 0;
      memcpy(name, next, sizeof name);
    }
  }
  jack_client_close(client);
  return 0;
}
