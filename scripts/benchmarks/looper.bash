# SooperLooper as a peer; `looper_port` is its OSC port.

# SooperLooper sends no reply to commands.
tell_looper() { send "$looper_port" --wait 0 /sl/0/hit "$1"; }

# Sends a command to the node and one to SooperLooper, as close together as possible.
tell_both() {
  send "$port" --wait 0 "$1"
  tell_looper "$2"
}

# Fails unless SooperLooper is in the state with this number.
expect_looper() {
  local state
  state=$("$tools/looper-state" "$looper_port") || true
  [[ $state == "$1" ]] \
    || fail 70 "sooperlooper is not in the expected state: expected $1, got ${state:-no reply}"
}

# Waits until SooperLooper replies, which is when it can be played.
await_looper() {
  for _ in {1..200}; do
    ! "$tools/looper-state" "$looper_port" &>/dev/null || return 0
    sleep 0.01
  done
  fail 70 "sooperlooper does not reply"
}
