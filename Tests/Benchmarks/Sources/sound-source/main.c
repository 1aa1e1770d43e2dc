// Plays the same sound into all given ports, left and right in alternation, until stopped.
#include "clock.h"
#include "ending.h"

#include <jack/jack.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// Quiet enough for ten at once. Both sides have periods without a common divisor with those of
// loops.
enum { SIDES = 2, LENGTH = 48017 };

static float sound[SIDES][LENGTH];
static jack_port_t *ports[SIDES];
static jack_nframes_t place;

static int play(jack_nframes_t frames, void *argument) {
  (void)argument;
  for (int side = 0; side < SIDES; side++) {
    float *out = jack_port_get_buffer(ports[side], frames);
    for (jack_nframes_t i = 0; i < frames; i++) out[i] = sound[side][(place + i) % LENGTH];
  }
  place = (place + frames) % LENGTH;
  return 0;
}

static void make_sound(void) {
  uint32_t noise = 1;
  for (int i = 0; i < LENGTH; i++) {
    for (int side = 0; side < SIDES; side++) {
      noise = noise * 1664525u + 1013904223u;
      double tone = sin(i * (0.02 + 0.01 * side)) + 0.5 * sin(i * 0.11);
      sound[side][i] = (float)(0.03 * tone + 0.01 * ((noise >> 8) / 8388608.0 - 1));
    }
  }
}

int main(int count, char **arguments) {
  if (count < 3) {
    fputs("usage: sound-source PORT PORT...: left and right in alternation\n", stderr);
    return 64;
  }
  end_politely();
  make_sound();
  jack_client_t *client = jack_client_open("bench-sound", JackNoStartServer, NULL);
  if (!client) {
    fputs("sound-source: can't join the JACK server\n", stderr);
    return 69;
  }
  int code = 0;
  for (int side = 0; side < SIDES; side++) {
    ports[side] = jack_port_register(
        client, side == 0 ? "left" : "right", JACK_DEFAULT_AUDIO_TYPE, JackPortIsOutput, 0);
    if (!ports[side]) code = 69;
  }
  if (code == 0) jack_set_process_callback(client, play, NULL);
  if (code != 0 || jack_activate(client) != 0) code = 69;
  for (int i = 1; i < count && code == 0; i++) {
    if (jack_connect(client, jack_port_name(ports[(i - 1) % SIDES]), arguments[i]) == 0) continue;
    fprintf(stderr, "sound-source: can't connect to %s\n", arguments[i]);
    code = 69;
  }
  if (code == 0) puts("ready");
  fflush(stdout);
  while (code == 0 && !is_ending()) sleep_microseconds(50000);
  jack_client_close(client);
  return code;
}
