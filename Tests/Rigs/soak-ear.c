// A JACK client for the rig `soak`: it plays into the node, measures all of the node's output, and waits for
// the next server when one is gone.
//
//   soak-ear NAME [INPUT=OUTPUT]...
//
// Each pair names a port of this client and one of the node, which are connected as soon as both exist. An
// input whose name begins with `out` must not exceed full scale. `sound` plays an intermittent tone, and
// `keys` the MIDI messages from standard input, three hexadecimal bytes per line. Prints once a second, since
// the last line: frames, frames lost in xruns, non-finite samples, samples of outputs beyond full scale, the
// peak, and the notes currently held at `notes`.
#include <jack/jack.h>
#include <jack/midiport.h>
#include <jack/ringbuffer.h>
#include <math.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 16 };

static jack_client_t *client;
static jack_port_t *sound, *keys, *notes, *inputs[MOST];
static const char *outputs[MOST];
static int input_count, is_output[MOST];
static jack_ringbuffer_t *to_play;
static atomic_int gone, held;
static atomic_uint frames_heard, lost, invalid, loud, peak_millionths;
static unsigned next_frame;
static int has_begun;
static unsigned char sounding[16][128];

static int process(jack_nframes_t frames, void *unused) {
  (void)unused;
  const unsigned frame = jack_last_frame_time(client), rate = jack_get_sample_rate(client);
  if (has_begun && frame != next_frame) lost += frame - next_frame;
  has_begun = 1;
  next_frame = frame + frames;
  frames_heard += frames;
  float *out = jack_port_get_buffer(sound, frames);
  for (unsigned index = 0; index < frames; index++) {
    const unsigned now = frame + index;
    // Three seconds of tone, one of silence.
    const float level = now / rate % 4 == 3 ? 0 : 0.3f;
    out[index] = level * sinf(6.2831853f * (float)(now % rate) * 220 / (float)rate);
  }
  for (int port = 0; port < input_count; port++) {
    const float *in = jack_port_get_buffer(inputs[port], frames);
    for (unsigned index = 0; index < frames; index++) {
      const float size = fabsf(in[index]);
      if (!isfinite(size)) {
        invalid++;
      } else if (is_output[port]) {
        if (size > 1) loud++;
        if (size * 1e6f > (float)peak_millionths) peak_millionths = (unsigned)(size * 1e6f);
      }
    }
  }
  void *heard = jack_port_get_buffer(notes, frames);
  jack_midi_event_t event;
  for (unsigned index = 0; jack_midi_event_get(&event, heard, index) == 0; index++) {
    if (event.size < 3) continue;
    unsigned char *key = &sounding[event.buffer[0] & 15][event.buffer[1] & 127];
    switch (event.buffer[0] & 0xF0) {
      case 0x90:
        if (event.buffer[2] > 0 && !*key) *key = 1, held++;
        if (event.buffer[2] == 0 && *key) *key = 0, held--;
        break;
      case 0x80:
        if (*key) *key = 0, held--;
        break;
      case 0xB0:
        // All sound off, or all notes off.
        if (event.buffer[1] == 120 || event.buffer[1] >= 123) {
          for (int number = 0; number < 128; number++) {
            key = &sounding[event.buffer[0] & 15][number];
            if (*key) *key = 0, held--;
          }
        }
        break;
      default: break;
    }
  }
  void *played = jack_port_get_buffer(keys, frames);
  jack_midi_clear_buffer(played);
  unsigned char bytes[3];
  while (jack_ringbuffer_read_space(to_play) >= 3) {
    jack_ringbuffer_read(to_play, (char *)bytes, 3);
    jack_midi_event_write(played, 0, bytes, 3);
  }
  return 0;
}

static void end(void *unused) {
  (void)unused;
  gone = 1;
}

static void silent(const char *text) { (void)text; }

static void connect_ports(const char *from, const char *to) {
  if (jack_port_by_name(client, from) && jack_port_by_name(client, to)) jack_connect(client, from, to);
}

static int open_client(const char *name, char **words, int count) {
  client = jack_client_open(name, JackNoStartServer | JackUseExactName, NULL);
  if (!client) return 0;
  sound = jack_port_register(client, "sound", JACK_DEFAULT_AUDIO_TYPE, JackPortIsOutput, 0);
  keys = jack_port_register(client, "keys", JACK_DEFAULT_MIDI_TYPE, JackPortIsOutput, 0);
  notes = jack_port_register(client, "notes", JACK_DEFAULT_MIDI_TYPE, JackPortIsInput, 0);
  input_count = 0;
  for (int index = 0; index < count && input_count < MOST; index++) {
    char port[64];
    const char *output = strchr(words[index], '=');
    if (!output) continue;
    snprintf(port, sizeof port, "%.*s", (int)(output - words[index]), words[index]);
    is_output[input_count] = strncmp(port, "out", 3) == 0;
    outputs[input_count] = output + 1;
    inputs[input_count++] =
        jack_port_register(client, port, JACK_DEFAULT_AUDIO_TYPE, JackPortIsInput, 0);
  }
  memset(sounding, 0, sizeof sounding);
  held = 0;
  has_begun = 0;
  gone = 0;
  jack_set_process_callback(client, process, NULL);
  jack_on_shutdown(client, end, NULL);
  return jack_activate(client) == 0;
}

int main(int count, char **words) {
  if (count < 2) {
    fprintf(stderr, "usage: soak-ear NAME [INPUT=OUTPUT]...\n");
    return 64;
  }
  setvbuf(stdout, NULL, _IOLBF, 0);
  // poll() doesn't see buffered input.
  setvbuf(stdin, NULL, _IONBF, 0);
  jack_set_error_function(silent);
  jack_set_info_function(silent);
  to_play = jack_ringbuffer_create(4096);
  char line[64];
  for (;;) {
    while (!open_client(words[1], words + 2, count - 2)) usleep(50000);
    printf("open %u %u\n", jack_get_sample_rate(client), jack_get_buffer_size(client));
    for (int tenth = 1; !gone; tenth++) {
      struct pollfd input = {.fd = 0, .events = POLLIN};
      while (poll(&input, 1, 0) > 0) {
        unsigned bytes[3];
        if (!fgets(line, sizeof line, stdin)) _exit(0);
        if (sscanf(line, "%x %x %x", &bytes[0], &bytes[1], &bytes[2]) != 3) continue;
        const char message[3] = {(char)bytes[0], (char)bytes[1], (char)bytes[2]};
        if (jack_ringbuffer_write_space(to_play) >= 3) jack_ringbuffer_write(to_play, message, 3);
      }
      if (tenth % 10 == 0) {
        char own[128];
        for (int port = 0; port < input_count; port++) {
          snprintf(own, sizeof own, "%s", jack_port_name(inputs[port]));
          connect_ports(outputs[port], own);
        }
        connect_ports(jack_port_name(sound), "syrinx:in_1");
        connect_ports(jack_port_name(keys), "syrinx:midi_in");
        connect_ports("syrinx:midi_out", jack_port_name(notes));
        printf("heard %u %u %u %u %.6f %d\n", atomic_exchange(&frames_heard, 0),
               atomic_exchange(&lost, 0), atomic_exchange(&invalid, 0), atomic_exchange(&loud, 0),
               atomic_exchange(&peak_millionths, 0) / 1e6, held);
      }
      usleep(100000);
    }
    printf("gone\n");
    // Closing a client after its server has died may hang, so it is leaked.
  }
}
