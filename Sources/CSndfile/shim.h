#pragma once

#include <sndfile.h>

/// Reads the frames of a file's first loop; false if it has none. They are in an anonymous type, which
/// Swift doesn't import.
static inline int syrinx_first_loop(SNDFILE *file, unsigned *start, unsigned *end) {
  SF_INSTRUMENT instrument;
  if (sf_command(file, SFC_GET_INSTRUMENT, &instrument, sizeof instrument) != SF_TRUE) return 0;
  if (instrument.loop_count < 1 || instrument.loops[0].mode == SF_LOOP_NONE) return 0;
  *start = instrument.loops[0].start;
  *end = instrument.loops[0].end;
  return 1;
}
