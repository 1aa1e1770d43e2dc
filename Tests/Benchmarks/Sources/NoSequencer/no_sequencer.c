// Preloaded into SooperLooper, lets it start on a machine without ALSA's sequencer. It continues
// with the handle that it failed to open, for which libasound ends the program. An error is enough.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>

int snd_seq_poll_descriptors(void *sequencer, void *descriptors, unsigned space, short events) {
  if (!sequencer) return -ENODEV;
  int (*next)(void *, void *, unsigned, short) = dlsym(RTLD_NEXT, "snd_seq_poll_descriptors");
  return next ? next(sequencer, descriptors, space, events) : -ENOSYS;
}

int snd_seq_close(void *sequencer) {
  if (!sequencer) return 0;
  int (*next)(void *) = dlsym(RTLD_NEXT, "snd_seq_close");
  return next ? next(sequencer) : -ENOSYS;
}
