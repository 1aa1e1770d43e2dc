# scripts/bench loop
#
# Measures the process callback while a stereo loop of ten seconds plays with eight undo steps, and
# while it is overdubbed, compared with SooperLooper doing the same in the same buffers. Then with 1, 4
# and 8 loops, one of which is overdubbed, and with 8 through the engine for chords; the start time with
# that many loops of ten seconds, and private memory; and the click level at loop points and
# transitions, relative to a tone. Takes seven minutes, or less with only some of these parts: `loop
# [one|1|4|8|clicks]...`.
source "$root/scripts/benchmarks/looper.bash"
source "$root/scripts/benchmarks/seams.bash"

# Records and plays a loop in both, overdubs it eight times over its whole length, and measures the cost.
measure_loop() {
  local i
  start_timed syrinx "$node" run -n syrinx -p 0 --fresh --home "$work/home"
  await_ready syrinx
  # Memory for ten loops of ten seconds.
  start_looper 1 120
  await_times syrinx
  await_times "$looper"
  start_source syrinx:in_{1,2} $(looper_inputs loop0)

  say "recording, and overdubbing eight times, 95 s"
  tell_both /player/record record
  sleep 9.9
  tell_both /player/stop record
  tell_nodes /player/play
  sleep 0.5
  expect_looper 4
  for ((i = 0; i < 8; i++)); do
    tell_both /loop/overdub overdub
    sleep 10
    tell_both /loop/overdub overdub
    sleep 0.5
  done
  expect_looper 4
  expect_player "playing * 8"
  say "playing, 21 s"
  attend_times playing 0.5 "$work"/{syrinx,"$looper"}.times
  tell_nodes /live/route off
  say "playing without the input, 21 s"
  attend_times "playing alone" 0 "$work"/{syrinx,"$looper"}.times
  tell_nodes /live/route chain
  tell_both /loop/overdub overdub
  sleep 0.5
  expect_looper 5
  say "overdubbing, 21 s"
  attend_times overdubbing 0.5 "$work"/{syrinx,"$looper"}.times
  expect_player "playing * 9"
}

# Prints the private memory of a process, in MB.
own_memory() { awk '/^RssAnon/ { printf "%.0f", $2 / 1024 }' "/proc/$1/status"; }

# Prints the milliseconds since a time in nanoseconds.
since() { echo $((($(date +%s%N) - $1) / 1000000)); }

# measure_loops COUNT: plays this many loops in both, overdubs one of them, and measures the cost.
measure_loops() {
  local count=$1 began node_start looper_start node_process
  stop "${clients[@]}"
  clients=()
  rm -f "$work"/{syrinx,"$looper",sound-source}.{times,log}
  began=$(date +%s%N)
  start_timed syrinx "$node" run -n syrinx -p 0 --fresh --home "$work/home" --loops "$count"
  node_process=$started
  await_ready syrinx
  node_start=$(since "$began")
  began=$(date +%s%N)
  start_looper "$count" 40
  looper_start=$(since "$began")
  await_times syrinx
  await_times "$looper"
  start_source syrinx:in_{1,2} $(looper_inputs common)
  say "$count loops, recording, 10 s"
  tell_both '/loop/*/record' record -1
  sleep 9.5
  tell_both '/loop/*/record' record -1
  sleep 0.5
  expect_looper 4
  echo "  $count loops, start: syrinx $node_start ms, $looper $looper_start ms;" \
    "private memory: $(own_memory "$node_process") MB, $(own_memory "$looper_process") MB"
  tell_both /loop/1/overdub overdub
  sleep 0.5
  expect_looper 5
  say "$count loops, one overdubbed, 21 s"
  attend_times "$count loops, overdubbing one" 0.5 \
    "$work"/{syrinx,"$looper"}.times
  ((count == 8)) || return 0
  tell_both /loop/1/overdub overdub
  tell_nodes --wait 0 '/loop/*/engine' studio
  tell_nodes --wait 0 '/loop/*/semitones' 3.0
  sleep 1
  say "8 loops through studio, 21 s; 15 % of a core is 200 us"
  attend_times "8 loops, studio" 0 "$work"/{syrinx,"$looper"}.times
}

# press NAME COMMAND... -- LOOPER_COMMAND: sends both the same command, and has the click level measured.
press() {
  local name=$1 own=()
  shift
  while [[ $1 != -- ]]; do
    own+=("$1")
    shift
  done
  echo "$name" >&9
  tell_nodes --wait 0 "${own[@]}"
  [[ -n $beside ]] || tell_looper "$2"
  sleep "${pause:-0.7}"
}

# Records a tone in both, runs each command that could click, and prints the click levels.
measure_seams() {
  stop "${clients[@]}"
  clients=()
  rm -f "$work"/{syrinx,"$looper",seam-meter}.{times,log}
  # Long buffers, because each xrun would be a click of its own.
  stop "$server"
  start_server 1024
  start_timed syrinx "$node" run -n syrinx -p 0 --fresh --home "$work/home" --loops 1
  await_ready syrinx
  start_looper 1 40
  local output=$looper:loop0_out_1
  [[ -z $beside ]] || output=$looper:out_1
  start_seam_meter syrinx:in_{1,2} $(looper_inputs loop0) -- syrinx:out_1 "$output"
  tell_nodes /live/route off
  [[ -n $beside ]] || send "$looper_port" --wait 0 /sl/0/set dry 0.0
  sleep 0.5
  say "loop points and transitions, half a minute"
  tell_both /loop/1/record record
  sleep 2.9
  tell_both /loop/1/record record
  sleep 0.5
  expect_looper 4
  pause=6.5 press "two cycles" /ping -- nothing
  press "mute" /loop/1/mute 1 -- mute
  press "unmute" /loop/1/mute 0 -- mute
  press "start of overdub" /loop/1/overdub -- overdub
  press "end of overdub" /loop/1/overdub -- overdub
  press "undo" /loop/1/undo -- undo
  press "redo" /loop/1/redo -- redo
  press "start of replace" /loop/1/replace -- replace
  press "end of replace" /loop/1/replace -- replace
  press "start of substitute" /loop/1/substitute -- substitute
  press "end of substitute" /loop/1/substitute -- substitute
  press "start of multiply" /loop/1/multiply -- multiply
  pause=6.5 press "end of multiply" /loop/1/multiply -- multiply
  press "start of insert" /loop/1/insert -- insert
  pause=6.5 press "end of insert" /loop/1/insert -- insert
  press "reverse" /loop/1/direction -1 -- reverse
  press "forward" /loop/1/direction 1 -- reverse
  press "pause" /loop/1/pause -- pause
  press "resume" /loop/1/play -- pause
  end_seam_meter
  echo
  printf '%-42s%12s %s\n' "above 6 kHz, relative to a tone of 301 Hz" syrinx "$looper"
  local name own other lost
  while IFS=$'\t' read -r name own other lost; do
    [[ -n $lost ]] || continue
    if ((lost)); then
      printf '  %-40s%s\n' "$name" "not measured: $lost xruns"
    else
      printf '  %-40s%9s dB%9s dB\n' "$name" "$own" "$other"
    fi
  done <"$work/seam-meter.log"
}

# attend_times LABEL LIMIT TIMES...: LIMIT is the goal for the ratio to SooperLooper.
attend_times() {
  local limit=$2
  [[ -z $beside ]] || limit=0
  BENCH_PEER=$looper attend "$tools/loop-times" "$1" "$limit" "${@:3}"
}

measure() {
  local part parts=("$@")
  ((${#parts[@]})) || parts=(one 1 4 8 clicks)
  for part in "${parts[@]}"; do
    [[ $part == @(one|1|4|8|clicks) ]] || fail 64 "loop takes one, 1, 4, 8 or clicks; got $part"
  done
  prepare
  start_server
  head_table
  for part in "${parts[@]}"; do
    case $part in
      one) measure_loop ;;
      clicks) measure_seams ;;
      *) measure_loops "$part" ;;
    esac
  done
}
