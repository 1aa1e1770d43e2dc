#pragma once

#include <stddef.h>

void sort_values(double *values, size_t count);

// The value that this share of all does not exceed; the values must be sorted.
double quantile(const double *sorted, size_t count, double share);
