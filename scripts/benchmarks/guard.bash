# scripts/bench guard
#
# Measures feedback suppression in simulated rooms: the additional gain, how long feedback is heard, how
# many held tones of half an hour each are mistaken for feedback, and the cost. Takes five minutes.

measure() {
  prepare
  echo "synthetic speech and rooms, 48 kHz in buffers of 64; $machine"
  echo
  attend "$tools/guard"
}
