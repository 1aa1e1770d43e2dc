// lost-client NAME ORDER: a JACK client that passes its input through, and is late on request.
#include "lost-fault.h"

#include <jack/jack.h>
#include <stdio.h>

static struct order *order;
static jack_port_t *in, *out;

static int process(jack_nframes_t frames, void *context) {
  (void)context;
  memcpy(jack_port_get_buffer(out, frames), jack_port_get_buffer(in, frames), frames * sizeof(float));
  switch (atomic_exchange(&order->kind, FAULT_NONE)) {
    case FAULT_BURN: burn(order->milliseconds); break;
    case FAULT_SLEEP: usleep((useconds_t)order->milliseconds * 1000); break;
    default: break;
  }
  return 0;
}

int main(int count, char **words) {
  if (count != 3 || (order = map_order(words[2])) == NULL) return 64;
  jack_client_t *client = jack_client_open(words[1], JackNoStartServer | JackUseExactName, NULL);
  if (client == NULL) return 69;
  in = jack_port_register(client, "in", JACK_DEFAULT_AUDIO_TYPE, JackPortIsInput, 0);
  out = jack_port_register(client, "out", JACK_DEFAULT_AUDIO_TYPE, JackPortIsOutput, 0);
  jack_set_process_callback(client, process, NULL);
  if (jack_activate(client) != 0) return 70;
  puts("ready");
  fflush(stdout);
  for (;;) pause();
}
