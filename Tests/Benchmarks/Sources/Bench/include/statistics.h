#pragma once

#include <stddef.h>

void sort_values(double *values, size_t count);

// Returns a quantile; the values must be sorted.
double quantile(const double *sorted, size_t count, double share);
