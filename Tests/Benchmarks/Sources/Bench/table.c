#include "table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void print_figure(double figure, const char *unit, int width) {
  char text[64];
  int places = figure == floor(figure) || fabs(figure) >= 100 ? 0 : fabs(figure) >= 10 ? 1 : 2;
  snprintf(text, sizeof text, "%.*f %s", places, figure, unit);
  printf("%*s", width, text);
}

const char *peer_name(const char *usual) {
  const char *name = getenv("BENCH_PEER");
  return name ? name : usual;
}

void print_row(table_row row) {
  double ratio = row.figure / row.peer_figure;
  printf("%-42s", row.label);
  print_figure(row.figure, row.unit, 12);
  print_figure(row.peer_figure, row.unit, 12);
  printf("  %-15s %6.2f", row.peer, ratio);
  if (row.goal != NO_GOAL) {
    int of_ratio = row.goal == RATIO_AT_MOST || row.goal == RATIO_AT_LEAST;
    int at_least = row.goal == RATIO_AT_LEAST || row.goal == FIGURE_AT_LEAST;
    double value = of_ratio ? ratio : row.figure;
    char goal[64];
    snprintf(
        goal, sizeof goal, "%s %.3g%s%s", at_least ? ">=" : "<=", row.limit, of_ratio ? "" : " ",
        of_ratio ? "x" : row.unit);
    int is_met = at_least ? value >= row.limit : value <= row.limit;
    printf("  %-11s %s", goal, is_met ? "met" : "MISSED");
  }
  putchar('\n');
  fflush(stdout);
}
