// A preloaded library that stalls the disk: the file named by SESSION_STALL has a number of milliseconds. The
// next write or sync removes the file and waits for that long. All others wait meanwhile, as with one disk.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t disk = PTHREAD_MUTEX_INITIALIZER;

static void stall(void) {
  const char *path = getenv("SESSION_STALL");
  if (!path) return;
  pthread_mutex_lock(&disk);
  FILE *file = fopen(path, "re");
  int milliseconds = 0;
  if (file) {
    if (fscanf(file, "%d", &milliseconds) != 1) milliseconds = 0;
    fclose(file);
    unlink(path);
  }
  if (milliseconds > 0) {
    struct timespec left = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
    while (nanosleep(&left, &left)) {
    }
  }
  pthread_mutex_unlock(&disk);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t pwrite(int file, const void *bytes, size_t count, off_t place) {
  stall();
  return REAL(pwrite)(file, bytes, count, place);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t place) {
  stall();
  return REAL(pwrite64)(file, bytes, count, place);
}

int fdatasync(int file) {
  stall();
  return REAL(fdatasync)(file);
}

int fsync(int file) {
  stall();
  return REAL(fsync)(file);
}
