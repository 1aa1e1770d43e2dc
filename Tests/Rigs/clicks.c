// A JACK client that plays clicks on known frames, and prints the frames of its input's onsets.
//
//   clicks NAME SERVER transport|frames
//
// `out` has one sample of 0.5 on each multiple of 12000 frames: of the transport while it rolls, or
// of the server's frame count. It prints one line per event, until its standard input ends:
//
//   sent FRAME TRANSPORT          a click that it played
//   heard FRAME TRANSPORT LEVEL   the first sample at `in` above -46 dBFS after 50 ms below it
//   midi FRAME TRANSPORT HEX      a message at `midi_in`
//   block FRAMES                  a changed buffer size
//   gone                          the server has exited
//
// TRANSPORT is -1 while the transport is stopped. Its commands: roll, stop, locate FRAME, tempo BPM
// (become the timebase master), where (prints: transport FRAME rolling|stopped), beats (prints: beats
// LEAST MOST, how many frames the transport's bars, beats and ticks are ahead of its frame, over all
// buffers since the last time).
#include <jack/jack.h>
#include <jack/midiport.h>
#include <jack/ringbuffer.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { spacing = 12000, silence = 2400 };

struct event {
  char kind;  // 's'ent, 'h'eard, 'm'idi, 'b'lock
  unsigned frame;
  long transport;
  float level;
  unsigned char bytes[3], length;
};

static jack_client_t *client;
static jack_port_t *out, *in, *midi;
static jack_ringbuffer_t *events;
static atomic_int gone, asked;
static _Atomic float least_late, most_late;
static int by_transport;
static unsigned quiet = silence, block;
static double tempo;

static void tell(struct event event) {
  if (jack_ringbuffer_write_space(events) >= sizeof event) {
    jack_ringbuffer_write(events, (char *)&event, sizeof event);
  }
}

static int process(jack_nframes_t frames, void *unused) {
  (void)unused;
  jack_position_t position;
  int rolls = jack_transport_query(client, &position) == JackTransportRolling;
  unsigned now = jack_last_frame_time(client);
  float *sound = jack_port_get_buffer(out, frames);
  const float *heard = jack_port_get_buffer(in, frames);
  if (frames != block) {
    block = frames;
    tell((struct event){.kind = 'b', .frame = frames});
  }
  for (unsigned i = 0; i < frames; i++) {
    unsigned frame = now + i;
    long transport = rolls ? (long)position.frame + i : -1;
    long count = by_transport ? transport : (long)frame;
    sound[i] = 0;
    if (count >= 0 && count % spacing == 0) {
      sound[i] = 0.5f;
      tell((struct event){.kind = 's', .frame = frame, .transport = transport});
    }
    float level = fabsf(heard[i]);
    if (level > 0.005f) {
      if (quiet >= silence) {
        tell((struct event){.kind = 'h', .frame = frame, .transport = transport, .level = heard[i]});
      }
      quiet = 0;
    } else if (quiet < silence) {
      quiet++;
    }
  }
  if (rolls && position.valid & JackPositionBBT) {
    double beats = (position.bar - 1) * position.beats_per_bar + position.beat - 1 +
                   position.tick / position.ticks_per_beat;
    float late = beats * 60 / position.beats_per_minute * position.frame_rate - position.frame;
    atomic_store(&least_late, fminf(late, atomic_load(&least_late)));
    atomic_store(&most_late, fmaxf(late, atomic_load(&most_late)));
  }
  void *notes = jack_port_get_buffer(midi, frames);
  jack_midi_event_t note;
  for (unsigned i = 0; jack_midi_event_get(&note, notes, i) == 0; i++) {
    struct event event = {.kind = 'm',
                          .frame = now + note.time,
                          .transport = rolls ? (long)position.frame + note.time : -1,
                          .length = note.size > 3 ? 3 : note.size};
    memcpy(event.bytes, note.buffer, event.length);
    tell(event);
  }
  return 0;
}

static void count_beats(jack_transport_state_t state, jack_nframes_t frames,
                        jack_position_t *position, int is_new, void *unused) {
  (void)state, (void)frames, (void)is_new, (void)unused;
  double beats = position->frame * tempo / 60 / position->frame_rate;
  int bar = (int)(beats / 4);
  double beat = beats - bar * 4;
  position->valid = JackPositionBBT;
  position->bar = bar + 1;
  position->beat = (int)beat + 1;
  position->tick = (int)((beat - (int)beat) * 1920);
  position->bar_start_tick = bar * 4 * 1920.0;
  position->beats_per_bar = 4;
  position->beat_type = 4;
  position->ticks_per_beat = 1920;
  position->beats_per_minute = tempo;
}

static void note_shutdown(void *unused) {
  (void)unused;
  atomic_store(&gone, 1);
}

// A client that dies without closing may block its server.
static void note_signal(int signal) {
  (void)signal;
  atomic_store(&asked, 1);
}

static void print_events(void) {
  struct event event;
  while (jack_ringbuffer_read_space(events) >= sizeof event) {
    jack_ringbuffer_read(events, (char *)&event, sizeof event);
    switch (event.kind) {
      case 'b': printf("block %u\n", event.frame); break;
      case 's': printf("sent %u %ld\n", event.frame, event.transport); break;
      case 'h':
        printf("heard %u %ld %.4f\n", event.frame, event.transport, event.level);
        break;
      default:
        printf("midi %u %ld ", event.frame, event.transport);
        for (unsigned i = 0; i < event.length; i++) printf("%02x", event.bytes[i]);
        printf("\n");
    }
  }
}

static void obey(char *line) {
  if (strcmp(line, "roll") == 0) {
    jack_transport_start(client);
  } else if (strcmp(line, "stop") == 0) {
    jack_transport_stop(client);
  } else if (strncmp(line, "locate ", 7) == 0) {
    jack_transport_locate(client, (unsigned)atol(line + 7));
  } else if (strncmp(line, "tempo ", 6) == 0) {
    tempo = atof(line + 6);
    jack_set_timebase_callback(client, 0, count_beats, NULL);
  } else if (strcmp(line, "beats") == 0) {
    printf("beats %.1f", atomic_exchange(&least_late, 1e9f));
    printf(" %.1f\n", atomic_exchange(&most_late, -1e9f));
  } else if (strcmp(line, "where") == 0) {
    jack_position_t position;
    int rolls = jack_transport_query(client, &position) == JackTransportRolling;
    printf("transport %u %s\n", position.frame, rolls ? "rolling" : "stopped");
  }
}

int main(int count, char **arguments) {
  if (count != 4) return 64;
  jack_options_t options = JackNoStartServer | (arguments[2][0] ? JackServerName : 0);
  client = jack_client_open(arguments[1], options, NULL, arguments[2]);
  if (!client) return 69;
  by_transport = arguments[3][0] == 't';
  events = jack_ringbuffer_create(1 << 20);
  atomic_store(&least_late, 1e9f);
  atomic_store(&most_late, -1e9f);
  out = jack_port_register(client, "out", JACK_DEFAULT_AUDIO_TYPE, JackPortIsOutput, 0);
  in = jack_port_register(client, "in", JACK_DEFAULT_AUDIO_TYPE, JackPortIsInput, 0);
  midi = jack_port_register(client, "midi_in", JACK_DEFAULT_MIDI_TYPE, JackPortIsInput, 0);
  jack_set_process_callback(client, process, NULL);
  jack_on_shutdown(client, note_shutdown, NULL);
  if (!out || !in || !midi || jack_activate(client) != 0) return 70;
  setvbuf(stdout, NULL, _IOLBF, 0);
  puts("ready");
  // Not `fgets`: `poll` doesn't see data that it has buffered.
  char line[256];
  size_t length = 0;
  signal(SIGTERM, note_signal);
  while (!atomic_load(&asked)) {
    struct pollfd input = {.fd = 0, .events = POLLIN};
    int found = poll(&input, 1, 20);
    print_events();
    if (atomic_load(&gone)) {
      puts("gone");
      return 0;
    }
    if (found <= 0) continue;
    char byte;
    if (read(0, &byte, 1) != 1) break;
    if (byte != '\n' && length < sizeof line - 1) {
      line[length++] = byte;
      continue;
    }
    line[length] = 0;
    length = 0;
    obey(line);
  }
  // After the kill of another client, the server may not respond any more.
  alarm(1);
  jack_client_close(client);
  return 0;
}
