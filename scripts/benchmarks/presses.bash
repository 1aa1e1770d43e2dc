# scripts/bench presses [PLOT.png]
#
# Presses record, its end, overdub and its end from 200 ms before to 200 ms after a beat and a bar, with one
# loop per offset, in the node and in SooperLooper, which is synchronized to its internal tempo. Prints the
# distance from that beat at which the recorded sound begins or ends, and whether the press counted for this
# beat or the next. The node receives the presses in bundles with a time; SooperLooper is sent them at that
# time. A run that lost frames is repeated. PLOT.png shows the distances. Takes two and a half minutes; apt
# installs missing packages.
source "$root/scripts/benchmarks/timing.bash"

measure() {
  (($# < 2)) || fail 64 "presses takes one PLOT.png or nothing; got $*"
  local plot=${1:+$(readlink -m "$1")}
  prepare_timing "$plot"
  # Synchronous, so that no client skips a buffer.
  start_server 128 --sync
  start_pair 10 400
  print_machine 128
  say "pressing, two minutes"
  attend "$python" "$timing/presses.py" "$port" "$looper_port" ${plot:+"$plot"}
  echo "xruns of the server: $(grep -ci xrun "$work/jackd.log" || true)"
}
