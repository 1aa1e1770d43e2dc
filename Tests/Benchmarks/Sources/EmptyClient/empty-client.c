#include "empty-client.h"

#include <stdbool.h>
#include <stddef.h>

static int do_nothing(jack_nframes_t frames, void *argument) {
  (void)frames, (void)argument;
  return 0;
}

static bool begin(jack_client_t *client, const char *source) {
  jack_port_t *port = NULL;
  if (source) {
    port = jack_port_register(client, "in", JACK_DEFAULT_AUDIO_TYPE, JackPortIsInput, 0);
    if (!port) return false;
  }
  if (jack_set_process_callback(client, do_nothing, NULL) != 0) return false;
  if (jack_activate(client) != 0) return false;
  return !port || jack_connect(client, source, jack_port_name(port)) == 0;
}

jack_client_t *join_empty(const char *source) {
  jack_client_t *client = jack_client_open(EMPTY_CLIENT_NAME, JackNoStartServer, NULL);
  if (!client || begin(client, source)) return client;
  jack_client_close(client);
  return NULL;
}
