#include "ending.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t ending;

static void note(int signal) {
  (void)signal;
  ending = 1;
}

void end_politely(void) {
  struct sigaction action = {.sa_handler = note};
  sigaction(SIGTERM, &action, NULL);
}

bool is_ending(void) { return ending; }
