#pragma once

#include <sndfile.h>

/// Whether a file tells of a loop, and between which frames. Its place is in a type without a name,
/// which Swift does not import.
static inline int syrinx_first_loop(SNDFILE *file, unsigned *start, unsigned *end) {
  SF_INSTRUMENT instrument;
  if (sf_command(file, SFC_GET_INSTRUMENT, &instrument, sizeof instrument) != SF_TRUE) return 0;
  if (instrument.loop_count < 1 || instrument.loops[0].mode == SF_LOOP_NONE) return 0;
  *start = instrument.loops[0].start;
  *end = instrument.loops[0].end;
  return 1;
}
