# scripts/bench tuner
#
# Measures the accuracy of the tuner on steady tones, and its cost, compared with aubio. Takes ten
# seconds.

measure() {
  prepare
  echo "steady tones at 48 kHz: syrinx analyzes 0.36 s, aubio 4096 frames; $machine"
  echo
  attend "$tools/tuner"
}
