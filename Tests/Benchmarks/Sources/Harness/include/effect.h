#pragma once

#ifdef __cplusplus
extern "C" {
#endif

// What can be set. An effect ignores what it has not.
typedef enum {
  EFFECT_SEMITONES,
  EFFECT_FORMANTS,  // 1 keeps them
  EFFECT_SECONDS,   // of an echo, or of a reverb's decay by 60 dB
  EFFECT_DAMPING,   // hertz
  EFFECT_FEEDBACK,  // 0 to 1
  EFFECT_GLIDES,    // 1: a new time is glided to; 0: crossfaded to
  EFFECT_KEYS,
} effect_key;

typedef enum { EFFECT_PITCH = 1, EFFECT_STRETCH = 2, EFFECT_REVERB = 4, EFFECT_ECHO = 8,
               EFFECT_TRANSFORM = 16, EFFECT_KEEPS_FORMANTS = 32 } effect_kinds;

// An effect with two channels, or a transform of as many samples as a block has. What is set
// before the first block holds from its first frame on. Reverb and echo give the wet sound
// alone.
typedef struct {
  const char *name;
  int kinds;  // of effect_kinds
  void *(*make)(double rate, int block);
  void (*set)(void *, effect_key, double value);
  void (*process)(void *, const float *const *in, float *const *out, int frames);
  void (*end)(void *);
  // Plays a whole recording of one channel `ratio` times as long, or as much as fits; returns
  // the frames written. Null where the effect can't.
  long (*stretch)(const float *in, long frames, double rate, double ratio, float *out, long room);
  // By how many frames it says that it is late, after what was processed last; less than 0 where
  // it doesn't say. Null where none of its kind does.
  long (*delay)(void *);
} effect;

// What a shared object of peers exports.
const effect *peer_effects(int *count);

#ifdef __cplusplus
}
#endif
