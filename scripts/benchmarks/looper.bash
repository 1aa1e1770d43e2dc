# SooperLooper as a peer, or with --beside another build of the node; `looper_port` is its OSC port.

# The name of its client, and of its times in the tables.
looper=sooperlooper
[[ -z $beside ]] || looper=before

# start_looper LOOPS SECONDS: starts it under the timer, with memory for that many loops and seconds in
# total, sets `looper_process`, and waits until it is ready.
start_looper() {
  if [[ -n $beside ]]; then
    local own_port=${port-}
    start_timed "$looper" "$beside" run -n "$looper" -p 0 --fresh --home "$work/before" --loops "$1"
    looper_process=$started
    await_ready "$looper"
    looper_port=$port port=$own_port
  else
    looper_port=$((20000 + RANDOM % 10000))
    preloaded=$tools/libNoSequencer.so \
      start_timed "$looper" sooperlooper -q -l "$1" -c 2 -t "$2" -p "$looper_port"
    looper_process=$started
    await_looper
  fi
}

# looper_inputs [PREFIX]: prints its input ports, SooperLooper's with this prefix.
looper_inputs() {
  if [[ -n $beside ]]; then echo "$looper:in_1 $looper:in_2"; else echo "$looper:${1}_in_1 $looper:${1}_in_2"; fi
}

# tell_looper COMMAND [LOOP]: SooperLooper sends no reply to commands. -1 is all loops.
tell_looper() { send "$looper_port" --wait 0 "/sl/${2-0}/hit" "$1"; }

# tell_both COMMAND LOOPER_COMMAND [LOOP]: sends a command to the node and one to its peer, as close
# together as possible.
tell_both() {
  send "$port" --wait 0 "$1"
  if [[ -n $beside ]]; then send "$looper_port" --wait 0 "$1"; else tell_looper "${@:2}"; fi
}

# tell_nodes COMMAND...: sends a command to the node, and to the other build of it if that is the peer.
tell_nodes() {
  send "$port" "$@"
  [[ -z $beside ]] || send "$looper_port" "$@"
}

# Fails unless SooperLooper is in the state with this number.
expect_looper() {
  [[ -z $beside ]] || return 0
  local state
  state=$("$tools/looper-state" "$looper_port") || true
  [[ $state == "$1" ]] \
    || fail 70 "sooperlooper is not in the expected state: expected $1, got ${state:-no reply}"
}

# Waits until SooperLooper is ready, which is when it replies.
await_looper() {
  for _ in {1..200}; do
    ! "$tools/looper-state" "$looper_port" &>/dev/null || return 0
    sleep 0.01
  done
  fail 70 "sooperlooper does not reply"
}
