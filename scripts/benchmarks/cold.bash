# scripts/bench cold [--order|--parts]
#
# Counts the instructions, cache lines and pages of the process callback with cold caches: idle, with
# live input, and with a loop that plays and is overdubbed, compared with SooperLooper's; medians of nine
# single-stepped buffers each. With --parts also by function and by memory region. With --order it writes
# Sources/block.order: the functions in the order of their first call, which the linker follows. On x86-64
# only. Takes two minutes.
source "$root/scripts/benchmarks/looper.bash"

# Starts a client whose buffers can be single-stepped, without address randomization where that is permitted.
start_stepped() {
  local placed=()
  ! setarch -R true 2>/dev/null || placed=(setarch -R)
  start_client "$1" "${placed[@]}" env BLOCK_STEPS="$work/$1.steps" \
    LD_PRELOAD="${preloaded:+$preloaded:}$tools/libBlockSteps.so" "${@:2}"
}

cold() { attend python3 -B "$root/Tests/Benchmarks/Report/cold.py" "$@"; }

measure_cold() {
  local node_process looper_process state
  looper_port=$((20000 + RANDOM % 10000))
  start_stepped syrinx "$node" run -n syrinx -p 0 --fresh --home "$work/home"
  node_process=$started
  preloaded=$tools/libNoSequencer.so \
    start_stepped sooperlooper sooperlooper -q -l 1 -c 2 -t 40 -p "$looper_port"
  looper_process=$started
  await_ready syrinx
  await_looper
  count() {
    # Pending work and ramps are over by then.
    sleep 2
    say "single-stepping buffers: $1"
    cold count "$1" "$work" syrinx="$node_process" sooperlooper="$looper_process"
  }
  count idle
  start_source syrinx:in_{1,2} sooperlooper:loop0_in_{1,2}
  count live
  tell_both /player/record record
  sleep 5
  tell_both /player/stop record
  send "$port" /player/play
  send "$port" /live/route off
  count alone
  expect_looper 4
  expect_player "playing *"
  send "$port" /live/route chain
  count playing
  tell_both /loop/overdub overdub
  count adding
  expect_looper 5
  cold table "$work" syrinx sooperlooper
  case $option in
    --order) cold order "$work" syrinx "$root/Sources/block.order" ;;
    --parts)
      for state in idle live alone playing adding; do
        echo
        echo "$state"
        cold parts "$work" syrinx "$state"
      done
      ;;
  esac
}

measure() {
  option=${1-}
  (($# < 2)) && [[ -z $option || $option == @(--order|--parts) ]] \
    || fail 64 "cold takes --order, --parts or nothing; got $*"
  [[ $(uname -m) == x86_64 ]] || fail 69 "single-steps on x86-64 only; this machine is $(uname -m)"
  command -v python3 >/dev/null || needed+=(python3)
  prepare BlockSteps NoSequencer looper-state sound-source
  start_server
  echo "a buffer of 64 frames with cold caches; medians of nine; $machine"
  echo
  measure_cold
}
