# scripts/bench scenes
#
# Measures the process callback of a node that switches scenes four times a second while everything sounds,
# compared with that of a second node in the same buffers that doesn't switch; and the level of each kind of
# switch above 6 kHz, relative to a tone. Takes a minute and a half.

source "$root/scripts/benchmarks/seams.bash"

# The two scenes between which a node switches differ in all that a scene holds.
loud='"/live/gain": 0, "/loop/1/gain": 0, "/loop/2/mute": 0, "/out/gain": 0'
soft='"/live/gain": -6, "/loop/1/gain": -9, "/loop/2/mute": 1, "/out/gain": -3'
effects='"/echo/on": 1, "/echo/time": 0.21, "/echo/mix": 0.4, "/reverb/on": 1, "/reverb/mix": 0.3'
no_effects='"/echo/on": 0, "/reverb/on": 0'

# write_scene HOME NAME VALUES [LOOPS [SONG [PROGRAM]]]
write_scene() {
  local loops='' programs='' song=''
  [[ -z ${4-} ]] || loops=", \"loops\": $4"
  [[ -z ${5-} ]] || song=", \"song\": $5"
  [[ -z ${6-} ]] || programs=", \"programs\": [{ \"channel\": 1, \"program\": $6 }]"
  mkdir -p "$1/scenes"
  echo "{ \"set\": { $3 }$loops$song$programs }" >"$1/scenes/$2.json"
}

# Writes two songs of the tone into a data directory. They begin softly, so that only the switch is heard.
write_songs() {
  mkdir -p "$1/music"
  python3 -c "
import math, struct, sys, wave
tone = [3277 * math.sin(2 * math.pi * 301 * frame / 48000) for frame in range(48000)]
rise = [min(1, frame / 4800) for frame in range(48000)]
soft = [value * (1 - math.cos(math.pi * gain)) / 2 for value, gain in zip(tone, rise)]
pack = lambda sound: b''.join(struct.pack('<i', round(65536 * value)) for value in sound)
for name in 'ab':
    with wave.open(f'{sys.argv[1]}/{name}.wav', 'wb') as file:
        file.setparams((1, 4, 48000, 0, 'NONE', ''))
        file.writeframes(pack(soft) + 60 * pack(tone))" "$1/music"
}

# Writes the scenes of a node into its data directory.
write_scenes() {
  local all=$1
  write_scene "$all" levels-a "$loud"
  write_scene "$all" levels-b "$soft"
  write_scene "$all" routes-a '"/live/route": "chain", "/loop/1/route": "chain"'
  write_scene "$all" routes-b '"/live/route": "direct", "/loop/1/route": "direct"'
  write_scene "$all" effects-a "$no_effects"
  write_scene "$all" effects-b "$effects"
  write_scene "$all" plays-a '"/out/gain": 0' '{ "play": [1, 2] }'
  write_scene "$all" plays-b '"/out/gain": 0' '{ "play": [2], "stop": [1] }'
  write_scene "$all" sets-a '"/out/gain": 0' '{ "set": "a", "play": [1, 2] }'
  write_scene "$all" sets-b '"/out/gain": 0' '{ "set": "b", "play": [1, 2] }'
  write_scene "$all" songs-a '"/out/gain": 0' '' 1
  write_scene "$all" songs-b '"/out/gain": 0' '' 2
  local settings='"/pitch/semitones": 0, "/metronome/bpm": 120'
  settings+=', "/grid/instrument": "piano", "/grid/root": "A", "/grid/scale": "major"'
  write_scene "$all" all-a "$loud, $no_effects, $settings" '{ "set": "a", "play": [1, 2, 3, 4] }' 1 3
  settings='"/pitch/semitones": -5, "/metronome/bpm": 97'
  settings+=', "/grid/instrument": "organ", "/grid/root": "D", "/grid/scale": "dorian"'
  write_scene "$all" all-b "$soft, $effects, $settings" '{ "set": "b", "play": [1, 2, 3, 4] }' 2 4
}

# start_playing NAME LOOPS: starts a node, and sets `port`.
start_playing() {
  local name=$1
  write_scenes "$work/$name-home"
  write_songs "$work/$name-home"
  start_timed "$name" "$node" run -n "$name" -p 0 --fresh --home "$work/$name-home" --loops "$2"
  await_ready "$name"
  await_times "$name"
}

# Records all loops twice, and saves each as a set; the second one plays. In bars of two seconds, which are
# whole periods of the tone: its loop points are not heard.
record_sets() {
  local set
  send "$port" '/loop/*/quantize' bar
  for set in a b; do
    send "$port" '/loop/*/clear'
    send "$port" --wait 0 '/loop/*/record'
    sleep 5
    send "$port" --wait 0 '/loop/*/record'
    sleep 2.5
    send "$port" --wait 5 /loops/save "$set"
  done
  send "$port" '/loop/*/quantize' off
}

# Lets everything else sound, too.
sound_all() {
  send "$port" /pitch/on 1
  send "$port" /echo/on 1
  send "$port" /reverb/on 1
  send "$port" /metronome/on 1
  hold_chord "$port"
}

# hold_chord PORT
hold_chord() {
  local key
  for key in C3 E3 G3 C4; do send "$1" --wait 0 /note/on "$key" 0.8; done
}

measure_cost() {
  local name switching nodes=()
  for name in syrinx still; do
    start_playing "$name" 8
    nodes+=("$port")
  done
  start_source syrinx:in_{1,2} still:in_{1,2}
  for port in "${nodes[@]}"; do
    record_sets
    sound_all
    send "$port" --wait 5 /scene/check
  done
  sleep 1
  switching=${nodes[0]}
  (
    while :; do
      for scene in all-a all-b; do
        send "$switching" --wait 1 /scene "$scene"
        # Another instrument ends all notes.
        hold_chord "$switching"
        sleep 0.2
      done
    done
  ) &
  local switcher=$!
  say "switching, 21 s"
  BENCH_PEER=still attend "$tools/loop-times" "8 loops, switching" 0 "$work"/{syrinx,still}.times
  kill "$switcher"
  wait "$switcher" 2>/dev/null || true
}

# switch NAME SCENE: switches, and has the level measured.
switch() {
  echo "$1" >&9
  send "$port" --wait 1 /scene "$2"
  sleep 0.7
}

measure_residue() {
  stop "${clients[@]}"
  clients=()
  # Long buffers, because each xrun would be a click of its own.
  stop "$server"
  start_server 1024
  # Fewer, so that the limiter is at rest.
  start_playing syrinx 2
  start_seam_meter syrinx:in_{1,2} -- syrinx:out_1
  record_sets
  send "$port" --wait 5 /scene/check
  sleep 0.5
  say "each kind of switch, half a minute"
  local kind scene
  echo "no switch" >&9
  sleep 6
  for kind in levels routes effects plays sets songs; do
    send "$port" --wait 1 /scene "$kind-a"
    sleep 0.7
    for scene in b a; do switch "$kind, $scene" "$kind-$scene"; done
  done
  end_seam_meter
  echo
  printf '%-42s%12s\n' "above 6 kHz, relative to a tone of 301 Hz" syrinx
  local name level lost
  while IFS=$'\t' read -r name level lost; do
    [[ -n $lost ]] || continue
    ((lost)) && level="not measured: $lost xruns" || level="$level dB"
    printf '  %-40s%12s\n' "$name" "$level"
  done <"$work/seam-meter.log"
}

measure() {
  prepare CallbackTimer loop-times sound-source seam-meter
  prefer_realtime
  start_server
  head_table
  measure_cost
  measure_residue
}
