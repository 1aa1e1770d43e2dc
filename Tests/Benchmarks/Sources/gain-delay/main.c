// Measures the time from sending a gain command to the first changed output sample: for the node
// and, in alternation, for a minimal client that does the same.
#include "clock.h"
#include "ending.h"
#include "osc.h"
#include "statistics.h"
#include "table.h"

#include <errno.h>
#include <jack/jack.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

// A gain glides for 33 ms, then it must be constant for 30 before the next command.
enum { COMMANDS = 320, SUBJECTS = 2, STILL_FRAMES = 1440 };
enum { RANDOM_MICROSECONDS = 16000, PATIENCE_SECONDS = 2 };

typedef struct {
  const char *name;
  int socket;
  jack_port_t *port;
  // From sending to the first changed sample.
  double frames[COMMANDS], blocks[COMMANDS];

  // The callback's own: the last sample, and the number of frames since it changed.
  float last;
  atomic_uint still;
  // While armed, the next change is noted in the frames below.
  atomic_bool is_armed;
  jack_nframes_t changed_at, block_at;
  sem_t changed;
} subject;

static subject subjects[SUBJECTS];
static jack_port_t *constant;
static jack_client_t *source, *sink;

static int play(jack_nframes_t frames, void *argument) {
  (void)argument;
  float *out = jack_port_get_buffer(constant, frames);
  for (jack_nframes_t i = 0; i < frames; i++) out[i] = 0.5f;
  return 0;
}

static int watch(jack_nframes_t frames, void *argument) {
  (void)argument;
  for (int s = 0; s < SUBJECTS; s++) {
    subject *it = &subjects[s];
    const float *samples = jack_port_get_buffer(it->port, frames);
    unsigned still = atomic_load_explicit(&it->still, memory_order_relaxed);
    for (jack_nframes_t i = 0; i < frames; i++) {
      still++;
      if (samples[i] == it->last) continue;
      still = 0;
      it->last = samples[i];
      if (!atomic_load_explicit(&it->is_armed, memory_order_acquire)) continue;
      it->block_at = jack_last_frame_time(sink);
      it->changed_at = it->block_at + i;
      atomic_store_explicit(&it->is_armed, false, memory_order_relaxed);
      sem_post(&it->changed);  // publishes the frames
    }
    atomic_store_explicit(&it->still, still, memory_order_relaxed);
  }
  return 0;
}

static bool join(void) {
  source = jack_client_open("bench-source", JackNoStartServer, NULL);
  sink = jack_client_open("bench-sink", JackNoStartServer, NULL);
  if (!source || !sink) return false;
  constant = jack_port_register(source, "out", JACK_DEFAULT_AUDIO_TYPE, JackPortIsOutput, 0);
  jack_set_process_callback(source, play, NULL);
  jack_set_process_callback(sink, watch, NULL);
  for (int s = 0; s < SUBJECTS; s++) {
    subjects[s].port = jack_port_register(
        sink, subjects[s].name, JACK_DEFAULT_AUDIO_TYPE, JackPortIsInput, 0);
    if (!subjects[s].port) return false;
  }
  if (!constant || jack_activate(source) != 0 || jack_activate(sink) != 0) return false;
  for (int s = 0; s < SUBJECTS; s++) {
    char in[128], out[128];
    snprintf(in, sizeof in, "%s:in_1", subjects[s].name);
    snprintf(out, sizeof out, "%s:out_1", subjects[s].name);
    if (jack_connect(source, jack_port_name(constant), in) != 0) return false;
    if (jack_connect(sink, out, jack_port_name(subjects[s].port)) != 0) return false;
  }
  return true;
}

static bool wait_until_still(subject *it) {
  uint64_t deadline = nanoseconds() + PATIENCE_SECONDS * 1000000000ull;
  while (atomic_load_explicit(&it->still, memory_order_relaxed) < STILL_FRAMES) {
    if (is_ending() || nanoseconds() > deadline) return false;
    sleep_microseconds(1000);
  }
  return true;
}

// The first frame of the current block, and the number of frames since then. Not jack_frame_time,
// which follows a smoothed clock: it is milliseconds off for many seconds after one late cycle of
// the dummy driver.
static jack_nframes_t begin_of_block(jack_nframes_t *since) {
  jack_nframes_t begin, again;
  do {
    begin = jack_last_frame_time(sink);
    *since = jack_frames_since_cycle_start(sink);
    again = jack_last_frame_time(sink);
  } while (begin != again);
  return begin;
}

static bool command(subject *it, int number) {
  uint8_t packet[OSC_LONGEST];
  size_t length = osc_float(packet, "/live/gain", number % 2 == 0 ? -6 : 0);
  if (!wait_until_still(it)) return false;
  sleep_microseconds((uint32_t)(random() % RANDOM_MICROSECONDS));
  atomic_store_explicit(&it->is_armed, true, memory_order_release);
  jack_nframes_t since, begin = begin_of_block(&since);
  if (send(it->socket, packet, length, 0) != (ssize_t)length) return false;
  struct timespec deadline;
  clock_gettime(CLOCK_REALTIME, &deadline);
  deadline.tv_sec += PATIENCE_SECONDS;
  while (sem_timedwait(&it->changed, &deadline) != 0) {
    if (errno != EINTR || is_ending()) return false;
  }
  it->frames[number] = (int32_t)(it->changed_at - begin - since);
  // 1 is the next block to start after the message was sent.
  it->blocks[number] = (int32_t)(it->block_at - begin) / (int32_t)jack_get_buffer_size(sink);
  return true;
}

static bool measure(void) {
  srandom((unsigned)nanoseconds());
  for (int number = 0; number < COMMANDS; number++) {
    for (int s = 0; s < SUBJECTS; s++) {
      if (command(&subjects[s], number)) continue;
      if (!is_ending()) fprintf(stderr, "gain-delay: no change from %s\n", subjects[s].name);
      return false;
    }
  }
  return true;
}

static double percent_within(const double *values, double limit) {
  int count = 0;
  for (int i = 0; i < COMMANDS; i++) count += values[i] <= limit;
  return 100.0 * count / COMMANDS;
}

static void report(void) {
  subject *node = &subjects[0], *peer = &subjects[1];
  for (int s = 0; s < SUBJECTS; s++) {
    sort_values(subjects[s].frames, COMMANDS);
    sort_values(subjects[s].blocks, COMMANDS);
  }
  struct {
    const char *label, *unit;
    double figure, peer_figure;
    goal_kind goal;
  } rows[] = {
      {"gain to first changed sample, median", "frames", quantile(node->frames, COMMANDS, 0.5),
       quantile(peer->frames, COMMANDS, 0.5), NO_GOAL},
      {"  greatest", "frames", quantile(node->frames, COMMANDS, 1),
       quantile(peer->frames, COMMANDS, 1), NO_GOAL},
      {"  buffers after sending, median", "blocks", quantile(node->blocks, COMMANDS, 0.5),
       quantile(peer->blocks, COMMANDS, 0.5), FIGURE_AT_MOST},
      {"  buffers after sending, maximum", "blocks", quantile(node->blocks, COMMANDS, 1),
       quantile(peer->blocks, COMMANDS, 1), NO_GOAL},
      // Never all: a message sent in the microseconds before a block starts is read too late for
      // it.
      {"  in the buffer that starts next", "%", percent_within(node->blocks, 1),
       percent_within(peer->blocks, 1), NO_GOAL},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    print_row((table_row){
        .label = rows[i].label,
        .unit = rows[i].unit,
        .figure = rows[i].figure,
        .peer = peer->name,
        .peer_figure = rows[i].peer_figure,
        .goal = rows[i].goal,
        .limit = 1,
    });
  }
}

int main(int count, char **arguments) {
  if (count != 1 + 2 * SUBJECTS) {
    fputs("usage: gain-delay NODE PORT PEER PORT\n", stderr);
    return 64;
  }
  for (int s = 0; s < SUBJECTS; s++) {
    subjects[s].name = arguments[1 + 2 * s];
    subjects[s].socket = osc_socket((uint16_t)atoi(arguments[2 + 2 * s]));
    if (subjects[s].socket < 0 || sem_init(&subjects[s].changed, 0, 0) != 0) return 1;
  }
  end_politely();
  if (!join()) {
    fputs("gain-delay: can't join the JACK server, or connect there\n", stderr);
    return 69;
  }
  bool is_done = measure();
  jack_client_close(sink);
  jack_client_close(source);
  if (!is_done) return 1;
  report();
  return 0;
}
