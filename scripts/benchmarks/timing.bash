# Shared by the benchmarks `clock` and `presses`, whose programs are in Tests/Benchmarks/Timing.

timing=$root/Tests/Benchmarks/Timing
python=/usr/bin/python3

# prepare_timing PLOT PACKAGE...: installs the peers and these packages, and builds the stage, which plays
# and records, and the stand-in for ALSA's sequencer. SYRINX_BINARY names the node if --node doesn't.
prepare_timing() {
  [[ -n $node ]] || node=${SYRINX_BINARY-}
  local package
  for package in jackd2 sooperlooper gcc libjack-jackd2-dev libasound2-dev python3-numpy "${@:2}"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q ' installed$' || needed+=("$package")
  done
  [[ -z $1 ]] || "$python" -c 'import matplotlib' 2>/dev/null || needed+=(python3-matplotlib)
  ((${#needed[@]} == 0)) || install_packages "${needed[@]}"
  if [[ -z $node ]]; then
    "$root/scripts/setup" run
    cd "$root"
    build_node
  fi
  quietly gcc -O2 -o "$work/stage" "$timing/stage.c" -ljack -lpthread \
    && quietly gcc -O2 -shared -fPIC -o "$work/sequencer.so" "$timing/sequencer.c" \
    || fail 70 "the build failed; see its output above"
  mkfifo "$work/ticks"
  # With real-time priority where it is permitted, because a late buffer moves ticks.
  prefer_realtime
  # Its OSC is that of the rigs.
  export WORK=$work PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$root/Tests/Rigs
}

# start_pair LOOPS SECONDS: starts the node and SooperLooper with so many loops, and sets `port` and
# `looper_port`. SECONDS is all of SooperLooper's memory.
start_pair() {
  local loops=$1 seconds=$2
  start_client syrinx "$node" run -n syrinx -p 0 --fresh --home "$work/home" --loops "$loops"
  await_ready syrinx
  looper_port=$((20000 + RANDOM % 10000))
  start_client sooperlooper env TICKS="$work/ticks" LD_PRELOAD="$work/sequencer.so" \
    sooperlooper -q -l "$loops" -c 1 -t "$seconds" -p "$looper_port"
  for _ in {1..100}; do
    ! jack_lsp 2>/dev/null | grep -q "^sooperlooper:loop$((loops - 1))_out_1" || return 0
    sleep 0.1
  done
  fail 70 "sooperlooper doesn't start: $(tail -n 1 "$work/sooperlooper.log")"
}

# print_machine FRAMES: prints the conditions of the measurement.
print_machine() {
  local processor
  processor=$(sed -n 's/^model name.*: //p;T;q' /proc/cpuinfo)
  echo "$1 frames at 48 kHz, dummy driver, jackd --$priority, $(nproc) x $processor," \
    "load $(cut -d ' ' -f 1 /proc/loadavg)"
  echo
}
