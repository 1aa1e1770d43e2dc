#include "statistics.h"

#include <math.h>
#include <stdlib.h>

static int compare(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

void sort_values(double *values, size_t count) { qsort(values, count, sizeof *values, compare); }

double quantile(const double *sorted, size_t count, double share) {
  if (count == 0) return NAN;
  size_t rank = (size_t)ceil(share * (double)count);
  return sorted[rank == 0 ? 0 : rank - 1];
}
