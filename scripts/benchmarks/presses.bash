# scripts/bench presses [PLOT.png]
#
# Presses record, the end of it, overdub and its end from 200 ms before to 200 ms after a beat and a bar, one
# loop for each, with the node and with SooperLooper, which follows its internal tempo. Prints at which
# distance to that beat the recorded sound begins and ends, and whether the press counted for this beat or the
# next. The node's presses are in bundles with a time, SooperLooper's are sent at that time. With PLOT.png
# draws them. Takes two minutes; apt installs missing packages.
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
  jack_lsp >/tmp/clk/ports.log; trap "cp $work/*.log /tmp/clk/; finish" EXIT
  attend "$python" "$timing/presses.py" "$port" "$looper_port" ${plot:+"$plot"}
  echo "xruns of the server: $(grep -ci xrun "$work/jackd.log" || true)"
}
