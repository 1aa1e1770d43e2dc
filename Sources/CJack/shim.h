// What Swift can't take from JACK's headers as it stands.
#pragma once

#include <jack/jack.h>
#include <jack/metadata.h>
#include <jack/midiport.h>
#include <jack/statistics.h>
#include <jack/uuid.h>

// Called on the audio thread: declared again with the attribute that Swift's real-time
// check trusts. JACK documents each of them as safe there.
#define NJ_REALTIME __attribute__((swift_attr("@_noLocks")))

void *jack_port_get_buffer(jack_port_t *port, jack_nframes_t frames) NJ_REALTIME;
int jack_get_cycle_times(
    const jack_client_t *client, jack_nframes_t *current_frames, jack_time_t *current_usecs,
    jack_time_t *next_usecs, float *period_usecs) NJ_REALTIME;
void jack_midi_clear_buffer(void *port_buffer) NJ_REALTIME;

// Variadic, therefore not importable.
static inline jack_client_t *nj_client_open(
    const char *name, jack_options_t options, jack_status_t *status, const char *server) {
  return server != NULL
             ? jack_client_open(name, (jack_options_t)(options | JackServerName), status, server)
             : jack_client_open(name, options, status);
}
