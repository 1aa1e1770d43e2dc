// Wrappers for parts of JACK's headers that Swift can't import.
#pragma once

#include <jack/jack.h>
#include <jack/metadata.h>
#include <jack/midiport.h>
#include <jack/statistics.h>
#include <jack/uuid.h>

// Functions called on the audio thread, redeclared with the attribute that Swift's real-time check
// trusts. JACK documents each of them as safe there.
#define NJ_REALTIME __attribute__((swift_attr("@_noLocks")))

void *jack_port_get_buffer(jack_port_t *port, jack_nframes_t frames) NJ_REALTIME;
int jack_get_cycle_times(
    const jack_client_t *client, jack_nframes_t *current_frames, jack_time_t *current_usecs,
    jack_time_t *next_usecs, float *period_usecs) NJ_REALTIME;
jack_time_t jack_get_time(void) NJ_REALTIME;
jack_nframes_t jack_last_frame_time(const jack_client_t *client) NJ_REALTIME;
void jack_midi_clear_buffer(void *port_buffer) NJ_REALTIME;
uint32_t jack_midi_get_event_count(void *port_buffer) NJ_REALTIME;
int jack_midi_event_get(
    jack_midi_event_t *event, void *port_buffer, uint32_t event_index) NJ_REALTIME;
unsigned char *jack_midi_event_reserve(
    void *port_buffer, jack_nframes_t time, size_t data_size) NJ_REALTIME;

// The transport's state at the first frame of a buffer, from JACK's packed structure.
struct nj_transport {
  int is_rolling;
  // Frames since the transport's start.
  jack_nframes_t frame;
  // Beats since the start of the bar, and the most by which they can be later, because ticks are
  // integers. The tempo is 0 without a timebase master.
  double beats_per_minute, beats_per_bar, beat, beat_slack;
};

static inline NJ_REALTIME struct nj_transport nj_transport_query(const jack_client_t *client) {
  jack_position_t position;
  struct nj_transport transport = {0};
  transport.is_rolling = jack_transport_query(client, &position) == JackTransportRolling;
  transport.frame = position.frame;
  // A timebase master can send invalid values; the comparisons also reject NaN.
  int has_beats = position.valid & JackPositionBBT && position.ticks_per_beat >= 1 &&
                  position.ticks_per_beat <= 1e6 && position.beats_per_bar >= 1 &&
                  position.beats_per_bar <= 64 && position.beats_per_minute >= 1 &&
                  position.beats_per_minute <= 1000 && position.beat >= 1 && position.beat <= 65;
  if (!has_beats) return transport;
  double ticks = position.tick;
  double slack = 1;
#ifdef JACK_TICK_DOUBLE
  if (position.valid & JackTickDouble) {
    ticks = position.tick_double;
    slack = 0;
    if (!(ticks >= 0 && ticks <= position.ticks_per_beat)) return transport;
  }
#endif
  transport.beats_per_minute = position.beats_per_minute;
  transport.beats_per_bar = position.beats_per_bar;
  transport.beat = position.beat - 1 + ticks / position.ticks_per_beat;
  // The offset in frames from the reported position to the start of the buffer.
  if (position.valid & JackBBTFrameOffset && position.frame_rate > 0) {
    transport.beat +=
        position.bbt_offset / (position.frame_rate * 60.0 / position.beats_per_minute);
    slack = 0;
  }
  transport.beat_slack = slack / position.ticks_per_beat;
  return transport;
}

// Writes the bar and beat of a frame to JACK's packed structure.
static inline NJ_REALTIME void nj_tell_position(
    jack_position_t *position, int bar, double beat, int beats_per_bar, double beats_per_minute) {
  const double ticks_per_beat = 1920;
  int whole = (int)beat;
  double ticks = (beat - whole) * ticks_per_beat;
  position->bar = bar + 1;
  position->beat = whole + 1;
  position->tick = (int)ticks;
  position->bar_start_tick = (double)bar * beats_per_bar * ticks_per_beat;
  position->beats_per_bar = beats_per_bar;
  position->beat_type = 4;
  position->ticks_per_beat = ticks_per_beat;
  position->beats_per_minute = beats_per_minute;
  position->valid = JackPositionBBT;
#ifdef JACK_TICK_DOUBLE
  position->tick_double = ticks;
  position->valid = (jack_position_bits_t)(position->valid | JackTickDouble);
#endif
}

static inline NJ_REALTIME jack_nframes_t nj_frame(const jack_position_t *position) {
  return position->frame;
}

// Variadic, so Swift can't import it.
static inline jack_client_t *nj_client_open(
    const char *name, jack_options_t options, jack_status_t *status, const char *server) {
  return server != NULL
             ? jack_client_open(name, (jack_options_t)(options | JackServerName), status, server)
             : jack_client_open(name, options, status);
}
