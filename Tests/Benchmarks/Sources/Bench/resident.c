#include "resident.h"

#include <stdio.h>
#include <string.h>

static const char shared_segments[] = "/dev/shm/jack";

bool read_resident(int process, resident *result) {
  char path[64], line[512];
  snprintf(path, sizeof path, "/proc/%d/smaps", process);
  FILE *file = fopen(path, "r");
  if (!file) return false;
  bool is_shared = false;
  double whole = 0, shared = 0, proportional = 0;
  while (fgets(line, sizeof line, file)) {
    long kilobytes;
    if (sscanf(line, "Rss: %ld kB", &kilobytes) == 1) {
      whole += (double)kilobytes;
      if (is_shared) shared += (double)kilobytes;
    } else if (sscanf(line, "Pss: %ld kB", &kilobytes) == 1) {
      if (!is_shared) proportional += (double)kilobytes;
    } else if (strchr("0123456789abcdef", line[0])) {
      // Only the header of a mapping starts like this; the names of its properties have capitals.
      is_shared = strstr(line, shared_segments) != NULL;
    }
  }
  fclose(file);
  *result = (resident){whole / 1024, (whole - shared) / 1024, proportional / 1024};
  return whole > 0;
}
