// What depends on the machine more than on arithmetic: denormals, and memory in huge pages.
#include "check.h"

#include <CRealtime.h>
#include <stdint.h>

// How many of four products with a denormal are not 0: in both widths, coming out and going in.
static int keeps_denormals(void) {
  volatile float small = 0x1p-100f, smaller = 0x1p-140f, large = 0x1p20f;
  volatile double slight = 0x1p-600, slighter = 0x1p-1060, vast = 0x1p50;
  const volatile float made = small * 0x1p-40f, taken = smaller * large;
  const volatile double made_double = slight * 0x1p-460, taken_double = slighter * vast;
  return (made != 0) + (taken != 0) + (made_double != 0) + (taken_double != 0);
}

void check_memory(void) {
  if (keeps_denormals() != 4) fault("there are no denormals to begin with");
  rt_flush_denormals();
  if (keeps_denormals() != 0) fault("%d of 4 kinds of denormals are left", keeps_denormals());

  const size_t bytes = 3 << 20;
  char *memory = rt_take_memory(bytes);
  if (!memory || (uintptr_t)memory % (2 << 20) != 0)
    fault("the memory at %p begins no huge page", (void *)memory);
  if (!memory) return;
  for (size_t at = 0; at < bytes; at++)
    if (memory[at] != 0) fault("byte %zu of new memory is not 0", at);
  memory[0] = memory[bytes - 1] = 1;
  rt_give_memory(memory, bytes);
}
