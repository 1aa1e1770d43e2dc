# Shared by the benchmarks `loop` and `scenes`: the meter of clicks.

# start_seam_meter INPUT... -- OUTPUT...: plays a tone into ports, and measures other ports. Each line written to
# file descriptor 9 names the next action; seam-meter.log has a line for each.
start_seam_meter() {
  mkfifo "$work/seams"
  exec 9<>"$work/seams"
  # shellcheck disable=SC2016
  start_client seam-meter bash -c 'exec "$0" "${@:2}" <"$1"' "$tools/seam-meter" "$work/seams" "$@"
  for _ in {1..50}; do
    ! grep -q ready "$work/seam-meter.log" || return 0
    sleep 0.1
  done
  fail 69 "$(tail -n 1 "$work/seam-meter.log")"
}

# Ends the last action, and waits until its line is written.
end_seam_meter() {
  echo end >&9
  sleep 0.2
  exec 9>&-
}
