// Preloaded into a JACK client, single-steps through some of its blocks by the processor's trap
// flag. The steps go to the file named by BLOCK_STEPS.
#define _GNU_SOURCE
#include "block_steps.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <jack/jack.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

// Blocks between two stepped ones, each of which takes the time of many: the client has caught up
// by then. A prime, so that periodic work is included now and then.
enum { BLOCKS_BETWEEN = 211 };

typedef int cycle_times(
    const jack_client_t *, jack_nframes_t *, jack_time_t *, jack_time_t *, float *);

static JackProcessCallback stepped;
static jack_client_t *stepped_client;
static stepped_blocks *blocks;
static uint32_t blocks_since;

static cycle_times *read_times;

// The times of the block that is being stepped.
static struct {
  volatile int are_known;
  jack_nframes_t frames;
  jack_time_t now, next;
  float period;
} times;

// By the time that a stepped client reads them, the server can be in a later cycle: the client would find that
// frames were lost.
int jack_get_cycle_times(
    const jack_client_t *client, jack_nframes_t *frames, jack_time_t *now, jack_time_t *next,
    float *period) {
  int status = read_times(client, frames, now, next, period);
  if (times.are_known && status == 0) {
    *frames = times.frames;
    *now = times.now;
    *next = times.next;
    *period = times.period;
  }
  return status;
}

#if defined(__x86_64__)
static volatile uint32_t block;

static void note_step(int number, siginfo_t *information, void *context) {
  (void)number, (void)information;
  const greg_t *registers = ((const ucontext_t *)context)->uc_mcontext.gregs;
  uint32_t count = blocks->counts[block];
  if (count == MOST_STEPS) return;
  block_step *step = &blocks->steps[block][count];
  step->place = (uint64_t)registers[REG_RIP];
  memcpy(step->registers, registers, sizeof step->registers);
  blocks->counts[block] = count + 1;
}

// Changes the flags without the 128 bytes below the stack, which may be in use.
#define CHANGE_FLAGS(how) \
  __asm__ volatile( \
      "lea -128(%%rsp), %%rsp; pushfq; " how ", (%%rsp); popfq; lea 128(%%rsp), %%rsp" ::: "memory", \
      "cc")

static int step_through(jack_nframes_t frames, void *argument, uint32_t which) {
  block = which;
  blocks->counts[which] = 0;
  struct sigaction action = {.sa_sigaction = note_step, .sa_flags = SA_SIGINFO}, former;
  sigaction(SIGTRAP, &action, &former);
  times.are_known =
      read_times(stepped_client, &times.frames, &times.now, &times.next, &times.period) == 0;
  CHANGE_FLAGS("orq $0x100");
  int result = stepped(frames, argument);
  CHANGE_FLAGS("andq $~0x100");
  times.are_known = 0;
  sigaction(SIGTRAP, &former, NULL);
  return result;
}
#else
static int step_through(jack_nframes_t frames, void *argument, uint32_t which) {
  blocks->counts[which] = 0;
  return stepped(frames, argument);
}
#endif

static int process(jack_nframes_t frames, void *argument) {
  uint32_t wanted = atomic_load_explicit(&blocks->wanted, memory_order_acquire);
  if (wanted == 0 || wanted > STEPPED_BLOCKS || ++blocks_since < BLOCKS_BETWEEN) {
    return stepped(frames, argument);
  }
  blocks_since = 0;
  int result = step_through(frames, argument, wanted - 1);
  // Publishes the steps to the reader of the file.
  atomic_store_explicit(&blocks->wanted, wanted - 1, memory_order_release);
  return result;
}

static stepped_blocks *map_blocks(void) {
  const char *path = getenv("BLOCK_STEPS");
  int file = path ? open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
  if (file < 0) return NULL;
  void *memory = MAP_FAILED;
  if (ftruncate(file, sizeof *blocks) == 0) {
    memory = mmap(NULL, sizeof *blocks, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  }
  close(file);
  return memory == MAP_FAILED ? NULL : memory;
}

int jack_set_process_callback(jack_client_t *client, JackProcessCallback callback, void *argument) {
  int (*set)(jack_client_t *, JackProcessCallback, void *) =
      dlsym(RTLD_NEXT, "jack_set_process_callback");
  if (!blocks) blocks = map_blocks();
  if (!blocks) {
    fputs("block steps: BLOCK_STEPS names no file that can be written\n", stderr);
    return -1;
  }
  read_times = (cycle_times *)dlsym(RTLD_NEXT, "jack_get_cycle_times");
  stepped = callback;
  stepped_client = client;
  return set(client, process, argument);
}
