// Starts the node and a peer in alternation and measures the time until each prints its ready line.
#define _GNU_SOURCE
#include "clock.h"
#include "ending.h"
#include "statistics.h"
#include "table.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STARTS = 20, PROGRAMS = 2, PATIENCE_SECONDS = 10 };

typedef struct {
  char **command;
  double milliseconds[STARTS];
} program;

// Reads until the line is complete; the programs write it at once.
static bool read_ready(int output) {
  char text[1024];
  uint64_t deadline = nanoseconds() + PATIENCE_SECONDS * 1000000000ull;
  while (!is_ending() && nanoseconds() < deadline) {
    struct pollfd entry = {output, POLLIN, 0};
    if (poll(&entry, 1, 100) <= 0) continue;
    ssize_t count = read(output, text, sizeof text);
    if (count <= 0) return false;
    if (count > 6 && memcmp(text, "ready ", 6) == 0) return true;
  }
  return false;
}

static void end(pid_t process) {
  kill(process, SIGTERM);
  for (int i = 0; i < PATIENCE_SECONDS * 100; i++) {
    if (waitpid(process, NULL, WNOHANG) != 0) return;
    sleep_microseconds(10000);
  }
  kill(process, SIGKILL);
  waitpid(process, NULL, 0);
}

// Returns the time of one start in milliseconds; negative if it fails.
static double start(char **command) {
  int output[2];
  if (pipe(output) != 0) return -1;
  uint64_t start = nanoseconds();
  pid_t process = fork();
  if (process == 0) {
    // The program ends with this process, for whatever reason.
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    dup2(output[1], STDOUT_FILENO);
    // Its other messages don't matter here; the missing line shows a failure.
    int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere >= 0) dup2(nowhere, STDERR_FILENO);
    close(output[0]);
    close(output[1]);
    execv(command[0], command);
    _exit(127);
  }
  close(output[1]);
  bool is_ready = process > 0 && read_ready(output[0]);
  uint64_t ready = nanoseconds();
  if (process > 0) end(process);
  close(output[0]);
  return is_ready ? (double)(ready - start) / 1e6 : -1;
}

int main(int count, char **arguments) {
  program programs[PROGRAMS] = {{.command = arguments + 1}};
  for (int i = 1; i < count; i++) {
    if (strcmp(arguments[i], "--") != 0) continue;
    arguments[i] = NULL;
    programs[1].command = arguments + i + 1;
  }
  if (!programs[0].command[0] || !programs[1].command || !programs[1].command[0]) {
    fputs("usage: start-time NODE [ARGUMENT]... -- PEER [ARGUMENT]...\n", stderr);
    return 64;
  }
  end_politely();
  for (int number = 0; number < STARTS; number++) {
    for (int i = 0; i < PROGRAMS; i++) {
      programs[i].milliseconds[number] = start(programs[i].command);
      if (programs[i].milliseconds[number] < 0) {
        fprintf(stderr, "start-time: %s did not become ready\n", programs[i].command[0]);
        return 1;
      }
    }
  }
  for (int i = 0; i < PROGRAMS; i++) sort_values(programs[i].milliseconds, STARTS);
  for (int is_greatest = 0; is_greatest < 2; is_greatest++) {
    double share = is_greatest ? 1 : 0.5;
    print_row((table_row){
        .label = is_greatest ? "  maximum of 20" : "start to ready, median",
        .unit = "ms",
        .figure = quantile(programs[0].milliseconds, STARTS, share),
        .peer = peer_name("liblo-gain"),
        .peer_figure = quantile(programs[1].milliseconds, STARTS, share),
        .goal = FIGURE_AT_MOST,
        .limit = 300,
    });
  }
  return 0;
}
