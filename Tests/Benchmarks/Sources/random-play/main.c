// Sends a node random player commands for some minutes, while JACK freewheels, and prints its private
// memory every ten minutes, with the initial sources and instrument.
#include "osc.h"
#include "resident.h"

#include <jack/jack.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// The maximum difference between the memory of the last hour and that after ten minutes.
static const double most_growth = 0.05;

static atomic_long frames;
static sem_t has_passed;

static int count_frames(jack_nframes_t count, void *argument) {
  (void)argument;
  atomic_fetch_add(&frames, count);
  sem_post(&has_passed);
  return 0;
}

static uint32_t state = 1;

static int random_below(int limit) {
  state = state * 1664525u + 1013904223u;
  return (int)((state >> 8) % (uint32_t)limit);
}

// The actions of a player on a loop, weighted by repetition.
static const char *const actions[] = {
    "record", "record", "record", "record", "overdub", "overdub", "overdub", "overdub", "play", "play", "stop",
    "undo", "undo", "redo", "clear", "replace", "substitute", "multiply", "insert", "once", "cancel",
};
static const char *const sources[] = {"live", "grid", "mix"};
static const char *const switches[] = {"/echo/on", "/reverb/on", "/pitch/on", "/metronome/on"};
static const char *const instruments[] = {"piano", "bell", "organ", "drums"};

static size_t random_command(uint8_t *packet) {
  char address[40];
  int loop = 1 + random_below(4), choice = random_below(100);
  if (choice < 55) {
    const int number = (int)(sizeof actions / sizeof *actions);
    snprintf(address, sizeof address, "/loop/%d/%s", loop, actions[random_below(number)]);
    return osc_empty(packet, address);
  }
  if (choice < 63) {
    snprintf(address, sizeof address, "/loop/%d/keepSeconds", loop);
    return osc_float(packet, address, (float)(1 + random_below(9)));
  }
  if (choice < 70) {
    snprintf(address, sizeof address, "/loop/%d/source", loop);
    return osc_string(packet, address, sources[random_below(3)]);
  }
  if (choice < 93) {
    snprintf(address, sizeof address, "/grid/%d/%d", 1 + random_below(4), 1 + random_below(4));
    return osc_float(packet, address, random_below(2) ? 0.8f : 0);
  }
  if (choice < 99) return osc_int(packet, switches[random_below(4)], random_below(2));
  return osc_string(packet, "/grid/instrument", instruments[random_below(4)]);
}

static bool send_text(int socket, const char *address, const char *text) {
  uint8_t packet[OSC_LONGEST];
  size_t length = osc_string(packet, address, text);
  return send(socket, packet, length, 0) == (ssize_t)length;
}

// Memory depends on the sources that loops listen to, and on the instrument: readings are compared with the
// same ones. Replaced ones are freed on the control side, which takes a moment.
static bool rest(int socket) {
  bool is_sent = send_text(socket, "/loop/*/source", "live") && send_text(socket, "/grid/instrument", "piano");
  usleep(2000000);
  return is_sent;
}

static bool play(int process, int socket, long rate, int minutes) {
  double after_ten = 0, last = 0;
  long next = 0;
  for (int minute = 0; minute <= minutes; minute++) {
    // A second between two commands, on average.
    for (long end = minute * 60 * rate; next < end; next += random_below((int)(2 * rate))) {
      while (atomic_load(&frames) < next) sem_wait(&has_passed);
      uint8_t packet[OSC_LONGEST];
      size_t length = random_command(packet);
      if (send(socket, packet, length, 0) != (ssize_t)length) return false;
      char answer[2048];
      while (recv(socket, answer, sizeof answer, MSG_DONTWAIT) > 0) {}
    }
    if (minute % 10 != 0) continue;
    resident now;
    if (!rest(socket) || !read_resident(process, &now)) return false;
    printf("%-42d%12.1f%12.1f\n", minute, now.own, now.proportional);
    fflush(stdout);
    if (minute == 10) after_ten = now.own;
    last = now.own;
  }
  double growth = after_ten > 0 ? last / after_ten - 1 : 0;
  printf(
      "\n%+.1f %% from minute 10 to minute %d; goal: at most %.0f %%, %s\n", 100 * growth, minutes,
      100 * most_growth, growth <= most_growth ? "met" : "MISSED");
  return true;
}

int main(int count, char **arguments) {
  if (count != 4) {
    fputs("usage: random-play PROCESS PORT MINUTES\n", stderr);
    return 64;
  }
  int socket = osc_socket((uint16_t)atoi(arguments[2]));
  jack_client_t *client = jack_client_open("bench-player", JackNoStartServer, NULL);
  if (socket < 0 || !client) {
    fputs("random-play: can't join the JACK server\n", stderr);
    return 69;
  }
  sem_init(&has_passed, 0, 0);
  jack_set_process_callback(client, count_frames, NULL);
  bool is_done = jack_activate(client) == 0 && jack_set_freewheel(client, 1) == 0;
  printf("%-42s%12s%12s\n", "minutes of random play", "private MB", "PSS MB");
  is_done = is_done
      && play(atoi(arguments[1]), socket, (long)jack_get_sample_rate(client), atoi(arguments[3]));
  jack_set_freewheel(client, 0);
  jack_client_close(client);
  if (!is_done) fputs("random-play: the node does not respond\n", stderr);
  return is_done ? 0 : 70;
}
