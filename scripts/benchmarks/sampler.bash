# scripts/bench sampler
#
# Measures the grid's voices compared with FluidSynth, with the same SoundFonts and notes: the purity of a
# tone at all transpositions, the cost of a voice, the latency of notes, their locks and allocations,
# loading, and the similarity of both. Takes three minutes.

measure() {
  [[ -e $soundfont ]] || needed+=(fluid-soundfont-gm)
  prepare
  echo "the grid's voices in the whole engine, compared with FluidSynth without its effects; 48 kHz,"
  echo "buffers of 64; $machine"
  attend "$tools/sampler" sound "$work"
  echo
  echo "the piano of $(basename "$soundfont")              load ms    memory MB"
  for peer in 0 1; do attend "$tools/sampler" load "$soundfont" "$peer"; done
  say "comparing 81 notes, a minute"
  attend "$tools/sampler" compare "$soundfont"
}
