// lost-hog MILLISECONDS: occupies all CPUs for this long, at a higher priority than audio.
#define _GNU_SOURCE
#include "lost-fault.h"

#include <pthread.h>
#include <sched.h>

static double end;

static void *hog(void *cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET((size_t)cpu, &set);
  pthread_setaffinity_np(pthread_self(), sizeof set, &set);
  struct sched_param parameter = {.sched_priority = 95};
  if (pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameter) != 0) exit(77);
  while (milliseconds_now() < end) {
  }
  return NULL;
}

int main(int count, char **words) {
  if (count != 2) return 64;
  long cpus = sysconf(_SC_NPROCESSORS_ONLN);
  pthread_t threads[256];
  if (cpus > 256) cpus = 256;
  end = milliseconds_now() + 5 + atof(words[1]);
  for (long cpu = 0; cpu < cpus; cpu++) pthread_create(&threads[cpu], NULL, hog, (void *)cpu);
  for (long cpu = 0; cpu < cpus; cpu++) pthread_join(threads[cpu], NULL);
  return 0;
}
