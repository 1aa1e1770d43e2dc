#pragma once

#ifdef __cplusplus
extern "C" {
#endif

// The parameters. An effect ignores those that it doesn't have.
typedef enum {
  EFFECT_SEMITONES,
  EFFECT_FORMANTS,  // 1: preserved
  EFFECT_SECONDS,   // of an echo, or of a reverb's decay by 60 dB
  EFFECT_DAMPING,   // hertz
  EFFECT_FEEDBACK,  // 0 to 1
  EFFECT_GLIDES,    // 1: a new time is glided to; 0: crossfaded to
  EFFECT_THRESHOLD, // dB
  EFFECT_KEYS,
} effect_key;

typedef enum { EFFECT_PITCH = 1, EFFECT_STRETCH = 2, EFFECT_REVERB = 4, EFFECT_ECHO = 8,
               EFFECT_TRANSFORM = 16, EFFECT_KEEPS_FORMANTS = 32, EFFECT_GATE = 64, EFFECT_LEVEL = 128,
               EFFECT_TUNE = 256, EFFECT_HARMONIES = 512 } effect_kinds;

// The shifts of four harmonies in semitones, which preserve formants. They return only the harmonies.
#define EFFECT_INTERVALS {4, 7, -5, -12}

// A stereo effect, or a transform of as many samples as a block has. A parameter set before the
// first block applies from its first frame on. Reverb and echo return only the wet signal.
typedef struct {
  const char *name;
  int kinds;  // of effect_kinds
  void *(*make)(double rate, int block);
  void (*set)(void *, effect_key, double value);
  void (*process)(void *, const float *const *in, float *const *out, int frames);
  void (*end)(void *);
  // Plays a whole mono recording `ratio` times as long, or as much as fits. Returns the number of
  // frames written. Null if the effect can't.
  long (*stretch)(const float *in, long frames, double rate, double ratio, float *out, long room);
  // The reported latency in frames, after the last processed block; less than 0 if unknown. Null if
  // no effect of its kind reports it.
  long (*delay)(void *);
} effect;

// The symbol that a shared object of peers exports.
const effect *peer_effects(int *count);

#ifdef __cplusplus
}
#endif
