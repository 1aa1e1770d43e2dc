# scripts/bench memory
#
# Prints the node's private resident memory over 100 changes of the grid's instrument, from a soundfont.
# Takes half a minute.

measure() {
  local font=$soundfont small=/usr/share/sounds/sf3/FluidR3Mono_GM.sf3
  if [[ ! -e $font ]]; then
    font=$small
    [[ -e $font ]] || needed+=(fluidr3mono-gm-soundfont)
  fi
  prepare
  start_server
  echo "resident memory over changes of the grid's instrument, from $(basename "$font"); own is without"
  echo "JACK's shared segments; $machine"
  echo
  start_client syrinx "$node" run -n syrinx -p 0 --fresh --home "$work/home" --soundfont "$font"
  await_ready syrinx
  attend "$tools/instrument-changes" "$started" "$port" 100 violin strings flute choir harp trumpet \
    "church organ" marimba drums piano
}
