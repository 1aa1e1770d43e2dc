// A minimal peer of the node: a JACK client whose gain is set through liblo. It replies to the
// measurements' queries, counts messages, and does nothing else.
#include <jack/jack.h>
#include <lo/lo.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

static jack_port_t *in, *out;
static _Atomic float decibels;
static atomic_bool has_sounded;

// Receiver thread only.
static lo_server server;
static int32_t message_count;

static int process(jack_nframes_t frames, void *argument) {
  (void)argument;
  const float *from = jack_port_get_buffer(in, frames);
  float *to = jack_port_get_buffer(out, frames);
  float gain = powf(10, atomic_load_explicit(&decibels, memory_order_relaxed) / 20);
  for (jack_nframes_t i = 0; i < frames; i++) to[i] = from[i] * gain;
  atomic_store_explicit(&has_sounded, true, memory_order_relaxed);
  return 0;
}

static int set_gain(
    const char *path, const char *types, lo_arg **values, int count, lo_message message,
    void *context) {
  (void)path, (void)types, (void)count, (void)message, (void)context;
  message_count++;
  atomic_store_explicit(&decibels, values[0]->f, memory_order_relaxed);
  return 0;
}

// Replies with a token to the address in `answer`.
static int echo(
    const char *path, const char *types, lo_arg **values, int count, lo_message message,
    void *answer) {
  (void)path, (void)types, (void)count;
  message_count++;
  lo_send_from(
      lo_message_get_source(message), server, LO_TT_IMMEDIATE, answer, "i", values[0]->i);
  return 0;
}

static int tell_count(
    const char *path, const char *types, lo_arg **values, int count, lo_message message,
    void *context) {
  (void)types, (void)values, (void)count, (void)context;
  message_count++;
  lo_send_from(
      lo_message_get_source(message), server, LO_TT_IMMEDIATE, path, "i",
      strcmp(path, "/status/messages") == 0 ? message_count : 0);
  return 0;
}

static void *receive(void *argument) {
  while (1) lo_server_recv(server);
  return argument;
}

static int listen_for_messages(void) {
  server = lo_server_new_with_proto(NULL, LO_UDP, NULL);
  if (!server) return 0;
  // As much as the node requests: if the system allows less, both get the same.
  int size = 4 << 20;
  setsockopt(lo_server_get_socket_fd(server), SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
  lo_server_add_method(server, "/live/gain", "f", set_gain, NULL);
  lo_server_add_method(server, "/ping", "i", echo, "/pong");
  lo_server_add_method(server, "/sync", "i", echo, "/synced");
  lo_server_add_method(server, "/status/messages", "", tell_count, NULL);
  lo_server_add_method(server, "/status/refused", "", tell_count, NULL);
  pthread_t thread;
  return pthread_create(&thread, NULL, receive, NULL) == 0;
}

static jack_client_t *join(const char *name) {
  jack_client_t *client = jack_client_open(name, JackNoStartServer | JackUseExactName, NULL);
  if (!client) return NULL;
  in = jack_port_register(client, "in_1", JACK_DEFAULT_AUDIO_TYPE, JackPortIsInput, 0);
  out = jack_port_register(client, "out_1", JACK_DEFAULT_AUDIO_TYPE, JackPortIsOutput, 0);
  if (!in || !out) return NULL;
  jack_set_process_callback(client, process, NULL);
  return jack_activate(client) == 0 ? client : NULL;
}

int main(int count, char **arguments) {
  if (count != 2) {
    fputs("usage: liblo-gain NAME\n", stderr);
    return 64;
  }
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGINT);
  sigaddset(&ends, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &ends, NULL);
  jack_client_t *client = join(arguments[1]);
  if (!client || !listen_for_messages()) {
    fputs("liblo-gain: no JACK server, or no port\n", stderr);
    return 69;
  }
  // Ready means the same as for the node: it has rendered a block.
  while (!atomic_load_explicit(&has_sounded, memory_order_relaxed)) {
    nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
  }
  printf("ready osc=osc.udp://127.0.0.1:%d\n", lo_server_get_port(server));
  fflush(stdout);
  int signal;
  sigwait(&ends, &signal);
  jack_client_close(client);
  return 0;
}
