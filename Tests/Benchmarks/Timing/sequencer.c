// Preloaded into SooperLooper, stands in for ALSA's sequencer on a machine without one: the bytes of the
// pipe named by TICKS are its events. SooperLooper takes MIDI from there only, and gives each event the
// time at which it reads it.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>
#include <alsa/asoundlib.h>

static int ticks = -1;

int snd_seq_open(snd_seq_t **sequencer, const char *name, int streams, int mode) {
  (void)name, (void)streams, (void)mode;
  // Read and write, so that it never ends.
  ticks = open(getenv("TICKS"), O_RDWR | O_NONBLOCK);
  *sequencer = (snd_seq_t *)&ticks;
  return ticks < 0 ? -errno : 0;
}

int snd_seq_close(snd_seq_t *sequencer) { return (void)sequencer, close(ticks); }
int snd_seq_set_client_name(snd_seq_t *sequencer, const char *name) { return (void)sequencer, (void)name, 0; }
int snd_seq_event_output(snd_seq_t *sequencer, snd_seq_event_t *event) { return (void)sequencer, (void)event, 0; }
int snd_seq_drain_output(snd_seq_t *sequencer) { return (void)sequencer, 0; }

int snd_seq_create_simple_port(snd_seq_t *sequencer, const char *name, unsigned rights, unsigned type) {
  return (void)sequencer, (void)name, (void)rights, (void)type, 0;
}

int snd_seq_poll_descriptors(snd_seq_t *sequencer, struct pollfd *polled, unsigned space, short events) {
  (void)sequencer, (void)events;
  if (space < 1) return 0;
  *polled = (struct pollfd){ticks, POLLIN, 0};
  return 1;
}

int snd_seq_event_input(snd_seq_t *sequencer, snd_seq_event_t **event) {
  static snd_seq_event_t present;
  unsigned char byte;
  (void)sequencer;
  if (read(ticks, &byte, 1) != 1) {
    errno = EAGAIN;
    return -EAGAIN;
  }
  snd_seq_ev_clear(&present);
  present.type = byte == 0xf8 ? SND_SEQ_EVENT_CLOCK : byte == 0xfa ? SND_SEQ_EVENT_START : SND_SEQ_EVENT_STOP;
  *event = &present;
  return 1;
}
