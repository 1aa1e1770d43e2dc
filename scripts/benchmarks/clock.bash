# scripts/bench clock [PLOT.png]
#
# Sends MIDI clock with known beats and jitter to the node, jack_mclk_dump, SooperLooper and Ardour at once.
# Prints the error of each program's tempo, and of the clicks of the node and Ardour, from beat 4 to 7, and
# from beat 7 to the end. Three clocks of sixteen beats for each jitter, and three ramps from 120 to 130 beats
# per minute in eight bars, after eight beats at 120. Uniform jitter is given by its full width. A dash marks
# figures that a program doesn't show. SooperLooper reads MIDI from ALSA's sequencer only; a preloaded
# stand-in passes it each tick at its time. Ardour's session, and its tempo map, stay over all clocks.
# PLOT.png shows the phase errors. Takes five minutes; apt installs missing packages.
source "$root/scripts/benchmarks/timing.bash"

# Starts Ardour with MIDI clock as its transport master, up to three times, because it may lose the server.
# Sets `ardour_log`, empty if Ardour doesn't start.
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
  [[ -z $ardour_log ]] || is_running "$started" || echo "ardour crashed during the measurement"
  echo "xruns of the server: $(grep -ci xrun "$work/jackd.log" || true)"
}
