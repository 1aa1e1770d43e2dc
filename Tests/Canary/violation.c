// A violation that RealtimeSanitizer must stop, through the hooks that the audio callback uses: an
// allocation inside a real-time section.
#include <CRealtime.h>
#include <stdlib.h>

int main(void) {
  rt_enter();
  void *volatile memory = malloc(64);
  rt_exit();
  free(memory);
  return 0;
}
