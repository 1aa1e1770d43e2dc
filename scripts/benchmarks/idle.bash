# scripts/bench
#
# Measures the release build on a JACK server of its own, with each figure compared with a peer's in
# the same run: the time of the idle process callback, compared with those of SooperLooper, jack_thru
# and an empty client; OSC messages applied per second over UDP, compared with a plain liblo server;
# the time from a gain message to the first changed sample, and from start to ready, compared with a
# minimal client's; and resident memory, compared with jack_thru's. Takes 90 s and the builds; apt
# installs missing packages.

measure_callbacks() {
  start_timed syrinx "$node" run -n syrinx -p 0 --fresh --home "$work/home"
  start_timed jack_thru jack_thru
  preloaded=$tools/libNoSequencer.so \
    start_timed sooperlooper sooperlooper -q -l 1 -c 2 -p $((20000 + RANDOM % 10000))
  await_times syrinx
  await_times jack_thru
  await_times sooperlooper
  if [[ -n $beside ]]; then
    start_timed before "$beside" run -n before -p 0 --fresh --home "$work/before"
    await_times before
  fi
  attend env CALLBACK_TIMES="$work/empty.times" LD_PRELOAD="$tools/libCallbackTimer.so" \
    "$tools/callback-times" "$work"/{syrinx,sooperlooper,jack_thru,empty}.times \
    ${beside:+"$work/before.times"}
  stop "${clients[@]}"
  clients=()
}

measure_the_rest() {
  local syrinx jack_thru syrinx_port liblo_port
  start_client syrinx "$node" run -n syrinx -p 0 --fresh --home "$work/home"
  syrinx=$started
  start_client liblo-gain "$tools/liblo-gain" liblo-gain
  start_client jack_thru jack_thru
  jack_thru=$started
  await_ready syrinx
  syrinx_port=$port
  await_ready liblo-gain
  liblo_port=$port

  say "OSC messages, 10 s"
  attend "$tools/message-rate" "$syrinx_port" "$liblo_port"
  say "gain commands, 30 s"
  attend "$tools/gain-delay" syrinx "$syrinx_port" liblo-gain "$liblo_port"
  say "20 starts, 5 s"
  attend "$tools/start-time" "$node" run -n syrinx-start -p 0 --home "$work/home" \
    -- "$tools/liblo-gain" liblo-start
  # Last, after the node has been under load.
  attend "$tools/resident-memory" "$syrinx" "$jack_thru"
}

# Repeats the measurements with the other build of the node as the peer.
measure_beside() {
  local syrinx before syrinx_port before_port
  stop "${clients[@]}"
  clients=()
  start_client syrinx "$node" run -n syrinx -p 0 --fresh --home "$work/home"
  syrinx=$started
  start_client before "$beside" run -n before -p 0 --fresh --home "$work/before"
  before=$started
  await_ready syrinx
  syrinx_port=$port
  await_ready before
  before_port=$port
  export BENCH_PEER=before
  say "compared with the other build, 45 s"
  attend "$tools/message-rate" "$syrinx_port" "$before_port"
  attend "$tools/gain-delay" syrinx "$syrinx_port" before "$before_port"
  attend "$tools/start-time" "$node" run -n syrinx-start -p 0 --home "$work/home" \
    -- "$beside" run -n before-start -p 0 --home "$work/before"
  attend "$tools/resident-memory" "$syrinx" "$before"
}

measure() {
  prepare
  start_server
  head_table
  say "idle callbacks, 25 s"
  measure_callbacks
  measure_the_rest
  [[ -z $beside ]] || measure_beside
  echo "The frame of a timed change is tested, not measured: swift test --filter TimeTag"
}
