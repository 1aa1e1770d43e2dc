# scripts/bench memory [built-in|font|hour|changes]...
#
# Prints the node's private resident memory, in MB:
# - by part, at the start and after a minute of sound with four loops of ten seconds, compared with
#   SooperLooper's with four loops: with the built-in piano, and with that of a soundfont;
# - over an hour of random play, while JACK freewheels: after an hour it should be within 5 % of the value
#   after ten minutes;
# - over 100 changes of the grid's instrument, from a soundfont;
# and the wakeups and the processor time of the idle node, by thread. Takes about seven minutes, or less with
# only some of the parts.

source "$root/scripts/benchmarks/looper.bash"

# print_parts: prints the memory of `started`, into which libMemoryParts.so is preloaded, by part.
print_parts() {
  rm -f "$work/parts"
  kill -USR2 "$started"
  for _ in {1..100}; do
    ! grep -qx end "$work/parts" 2>/dev/null || break
    sleep 0.1
  done
  python3 "$root/Tests/Benchmarks/Report/memory.py" "$node" "$work/parts" "$started"
}

# own_memory PROCESS: prints the private resident memory of a process in MB.
own_memory() { awk '/^RssAnon/ { printf "%.1f", $2 * 1.024 / 1000 }' "/proc/$1/status"; }

# print_activity PROCESS: prints the wakeups and the processor time of each thread over ten seconds.
print_activity() {
  activity "$1" >"$work/before"
  sleep 10
  activity "$1" >"$work/after"
  join <(sort "$work/before") <(sort "$work/after") | awk '
    { wakeups = ($6 - $3) / 10; share = ($7 - $4) / 1e8 }
    { printf "%-42s%12.1f%12.3f\n", $2, wakeups, share; all += wakeups; whole += share }
    END { printf "%-42s%12.1f%12.3f\n", "all", all, whole }'
}

# Prints number, name, voluntary context switches, and nanoseconds on a processor of each thread.
activity() {
  local task name time
  for task in "/proc/$1/task/"*; do
    name=$(<"$task/comm")
    read -r time _ <"$task/schedstat"
    echo "${task##*/} ${name// /-} $(awk '/^voluntary/ { print $2 }' "$task/status") $time"
  done
}

# measure_parts [FONT]: measures with the piano of this soundfont, or else the built-in one.
measure_parts() {
  local looper_process
  start_client syrinx env SYRINX_SOUNDFONTS=none MEMORY_PARTS="$work/parts" \
    LD_PRELOAD="$tools/libMemoryParts.so" \
    "$node" run -n syrinx -p 0 --fresh --home "$work/home" ${1+--soundfont "$1"}
  await_ready syrinx
  sleep 2
  echo "at the start, with ${1+the piano of }$(basename "${1-the built-in piano}")"
  print_parts
  echo
  printf '%-42s%12s%12s\n' "idle threads" "wakeups/s" "% of a core"
  print_activity "$started"
  echo
  local process=$started
  looper_port=$((20000 + RANDOM % 10000))
  start_client sooperlooper env LD_PRELOAD="$tools/libNoSequencer.so" \
    sooperlooper -q -l 4 -c 2 -t 40 -p "$looper_port"
  looper_process=$started
  await_looper
  start_source syrinx:in_{1,2} sooperlooper:common_in_{1,2}
  say "recording four loops, and a minute of sound, 75 s"
  send "$port" --wait 0 '/loop/*/record'
  send "$looper_port" --wait 0 /sl/-1/hit record
  sleep 9.9
  send "$port" --wait 0 '/loop/*/record'
  send "$looper_port" --wait 0 /sl/-1/hit record
  sleep 62
  started=$process
  echo "with four loops of ten seconds, after a minute of sound"
  print_parts
  echo "sooperlooper with four loops                   $(own_memory "$looper_process")"
  echo
}

start_node() {
  start_client syrinx "$node" run -n syrinx -p 0 --fresh --home "$work/home" --soundfont "$font"
  await_ready syrinx
  process=$started
}

measure() {
  local part process parts=("$@")
  ((${#parts[@]})) || parts=(built-in font hour changes)
  for part in "${parts[@]}"; do
    [[ $part == @(built-in|font|hour|changes) ]] \
      || fail 64 "memory takes built-in, font, hour or changes; got $part"
  done
  font=$soundfont
  local small=/usr/share/sounds/sf3/FluidR3Mono_GM.sf3
  if [[ ! -e $font ]]; then
    font=$small
    [[ -e $font ]] || needed+=(fluidr3mono-gm-soundfont)
  fi
  command -v python3 >/dev/null || needed+=(python3)
  prepare
  start_server 256
  echo "private resident memory in MB; 256 frames at 48 kHz, $machine"
  echo
  for part in "${parts[@]}"; do
    case $part in
      built-in) measure_parts ;;
      font) measure_parts "$font" ;;
      hour)
        start_node
        start_source syrinx:in_{1,2}
        say "an hour of random play, freewheeling, two minutes"
        attend "$tools/random-play" "$process" "$port" 60
        echo
        ;;
      changes)
        start_node
        echo "changes of the grid's instrument, from $(basename "$font")"
        attend "$tools/instrument-changes" "$process" "$port" 100 violin strings flute choir harp trumpet \
          "church organ" marimba drums piano
        ;;
    esac
    stop "${clients[@]}"
    clients=()
  done
}
