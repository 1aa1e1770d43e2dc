# scripts/bench clock [PLOT.png]
#
# Plays MIDI clock, with a known beat and known jitter, to the node, jack_mclk_dump, SooperLooper and Ardour
# at once, and prints how far the tempo of each and the clicks of the node and of Ardour are off: from four
# beats to seven, and from seven to the end. A dash is what a program doesn't show. Three clocks of sixteen
# beats with each jitter, and three that go from 120 to 130 beats per minute in eight bars after eight
# beats. With PLOT.png draws the phase errors. Takes five minutes; apt installs missing packages.
source "$root/scripts/benchmarks/timing.bash"

# Starts Ardour, which follows the transport master of its configuration. Sets `ardour_log`, empty if Ardour
# doesn't start: it sometimes loses the server then.
start_ardour() {
  mkdir -p "$work/.config/ardour7"
  cat >"$work/.config/ardour7/config" <<'CONFIG'
<?xml version="1.0" encoding="UTF-8"?>
<Ardour><Config/><TransportMasters current="MIDI Clock">
  <TransportMaster type="Engine" name="JACK Transport" allowed-transport-requests="TR_StartStop,TR_Locate"/>
  <TransportMaster type="MTC" name="MTC"/><TransportMaster type="LTC" name="LTC"/>
  <TransportMaster type="MIDIClock" name="MIDI Clock"/>
</TransportMasters></Ardour>
CONFIG
  local try
  for try in 1 2 3; do
    start_client ardour ardour7-lua "$timing/ardour-clock.lua" "$work/session-$try"
    for _ in {1..100}; do
      ardour_log=$work/ardour.log
      ! grep -q '^tempo' "$ardour_log" || return 0
      is_running "$started" || break
      sleep 0.1
    done
  done
  say "ardour doesn't start: $(tail -n 1 "$ardour_log")"
  ardour_log=''
}

measure() {
  (($# < 2)) || fail 64 "clock takes one PLOT.png or nothing; got $*"
  local plot=${1:+$(readlink -m "$1")} ardour_log
  prepare_timing "$plot" jack-midi-clock ardour
  # Synchronous, so that no client skips a buffer.
  start_server 128 --sync
  start_pair 1 10
  start_client jack_mclk_dump jack_mclk_dump -n
  start_ardour
  print_machine 128
  say "following, five minutes"
  attend env TICKS="$work/ticks" "$python" "$timing/clock.py" "$port" "$looper_port" \
    "$work/jack_mclk_dump.log" "$ardour_log" ${plot:+"$plot"}
  cp $work/*.log /tmp/clk/
  echo "xruns of the server: $(grep -ci xrun "$work/jackd.log" || true)"
}
