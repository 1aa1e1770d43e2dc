// Compares the block times and xruns of a client under the callback timer with an empty client of
// the same source, first idle, then with an equal load: `all-times TIMES EMPTY_TIMES LOG
// COMMAND...`. The log is the server's; the command runs in between.
#define _GNU_SOURCE
#include "empty-client.h"
#include "ending.h"
#include "statistics.h"
#include "table.h"
#include "times.h"

#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// 40 s at 48 kHz with 64 frames, and a fifth of such a block's period.
enum { WARM_UP_BLOCKS = 1500, BLOCKS = 30000 };
static const double limit_microseconds = 64.0 / 48000 * 1e6 / 5;
// The other client is idle at first. Later it calculates: the machine then delays its blocks like
// those of any client with that load.
enum { NODE, OTHER, CLIENTS };

static timed_client clients[CLIENTS] = {
    [NODE] = {.name = "syrinx"},
    [OTHER] = {.name = "empty callback"},
};
static double sorted[CLIENTS][BLOCKS];

// Counts the lines of the server's log, from an offset on, that report a late client.
static int count_lost(FILE *log, long from, const char *name) {
  char line[512], first[128], second[128];
  snprintf(first, sizeof first, "client = %s was not finished", name);
  snprintf(second, sizeof second, "client %s finished after", name);
  int count = 0;
  fseek(log, from, SEEK_SET);
  while (fgets(line, sizeof line, log)) {
    if (strstr(line, first) || strstr(line, second)) count++;
  }
  return count;
}

static bool measure(FILE *log, int *lost) {
  if (!skip_blocks(clients, CLIENTS, WARM_UP_BLOCKS)) return false;
  fseek(log, 0, SEEK_END);
  long from = ftell(log);
  if (!wait_for_blocks(clients, CLIENTS, BLOCKS)) return false;
  for (int i = 0; i < CLIENTS; i++) {
    take_times(&clients[i], sorted[i], BLOCKS);
    sort_values(sorted[i], BLOCKS);
  }
  lost[NODE] = count_lost(log, from, clients[NODE].name);
  lost[OTHER] = count_lost(log, from, EMPTY_CLIENT_NAME);
  return true;
}

static void report(
    const char *label, const char *unit, double node, double other, goal_kind goal, double limit) {
  print_row((table_row){
      .label = label,
      .unit = unit,
      .figure = node,
      .peer = clients[OTHER].name,
      .peer_figure = other,
      .goal = goal,
      .limit = limit,
  });
}

static void report_share(const char *label, double share, goal_kind goal) {
  report(
      label, "us", quantile(sorted[NODE], BLOCKS, share), quantile(sorted[OTHER], BLOCKS, share),
      goal, limit_microseconds);
}

static void report_all(const int *lost) {
  report_share("everything at once, median", 0.5, NO_GOAL);
  report_share("everything at once, 99.9th percentile", 0.999, FIGURE_AT_MOST);
  report_share("everything at once, longest", 1, NO_GOAL);
  report("xruns in 30,000 buffers", "", lost[NODE], lost[OTHER], FIGURE_AT_MOST, lost[OTHER]);
}

static bool run(char **command) {
  pid_t process;
  int status;
  return posix_spawnp(&process, command[0], NULL, NULL, command, environ) == 0
         && waitpid(process, &status, 0) == process && status == 0;
}

int main(int count, char **arguments) {
  if (count < 3 + CLIENTS) {
    fputs("usage: all-times TIMES EMPTY_TIMES LOG COMMAND...\n", stderr);
    return 64;
  }
  end_politely();
  FILE *log = fopen(arguments[1 + CLIENTS], "r");
  jack_client_t *other = log ? join_empty("bench-sound:left") : NULL;
  if (!other) {
    fputs("all-times: can't read the server's log, or join it after sound-source\n", stderr);
    return 69;
  }
  int lost[CLIENTS];
  bool is_done = look_at_times(&clients[NODE], arguments[1])
                 && look_at_times(&clients[OTHER], arguments[2]) && measure(log, lost);
  if (is_done) {
    report_all(lost);
    clients[OTHER].name = "arithmetic";
    keep_busy(rounds_within(quantile(sorted[NODE], BLOCKS, 0.5)));
    is_done = run(arguments + 2 + CLIENTS) && measure(log, lost);
  }
  if (is_done) report_all(lost);
  jack_client_close(other);
  fclose(log);
  return is_done ? 0 : 1;
}
