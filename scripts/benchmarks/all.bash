# scripts/bench all
#
# Measures the process callback with everything at once: pitch, echo and reverb on a live input, a loop
# through the engine for chords, a song, 32 voices, the metronome and a capture; and counts xruns,
# compared with an empty client on the same source. Then repeats both with that client busy for the node's
# median time: its xruns are the machine's. Takes two minutes.

# Writes a song of 150 seconds.
make_song() {
  mkdir -p "$work/home/music"
  python3 -c "
import math, struct, sys, wave
tone = [0.1 * math.sin(frame * 0.02) + 0.05 * math.sin(frame * 0.031) for frame in range(48000)]
second = b''.join(struct.pack('<hh', int(32767 * value), int(-32767 * value)) for value in tone)
with wave.open(sys.argv[1], 'wb') as file:
    file.setparams((2, 2, 48000, 0, 'NONE', ''))
    file.writeframes(150 * second)" "$work/home/music/song.wav"
}

expect_answer() {
  local answer
  answer=$("$node" send --to "127.0.0.1:$port" "$1")
  [[ $answer == "$1 "$2 ]] || fail 70 "unexpected reply from syrinx: $answer"
}

measure_everything() {
  make_song
  start_timed syrinx "$node" run -n syrinx -p 0 --fresh --connect --home "$work/home"
  await_times syrinx
  await_ready syrinx
  start_source syrinx:in_{1,2}
  say "recording a loop, 4 s"
  send "$port" /loop/1/record
  sleep 3
  send "$port" /loop/1/record
  send "$port" /loop/1/engine studio
  send "$port" /loop/1/semitones 3.0
  send "$port" /pitch/semitones 4.0
  send "$port" /echo/on 1
  send "$port" /reverb/on 1
  send "$port" /metronome/on 1
  send "$port" /capture/source out
  send "$port" /capture/on 1
  send "$port" /music/play 1
  # A bowed instrument, because plucked and struck notes decay.
  send "$port" /grid/instrument violin
  # Runs twice, because the node releases the notes of a client that is silent for a minute.
  local -a play=(
    bash -c 'for key in {48..79}; do "$@" "$key" 0.3; done' - "$node" send --to "127.0.0.1:$port" /note/on
  )
  "${play[@]}"
  sleep 1
  expect_voices
  expect_answer /music/state "playing *"
  expect_answer /capture/state "on *"
  expect_player "playing *"
  say "everything at once, 84 s"
  attend env CALLBACK_TIMES="$work/empty.times" LD_PRELOAD="$tools/libCallbackTimer.so" \
    "$tools/all-times" "$work"/{syrinx,empty}.times "$work/jackd.log" "${play[@]}"
  expect_voices
  expect_answer /music/state "playing *"
  expect_answer /capture/state "on *"
  expect_player "playing *"
}

# Fails unless at least 32 voices are active.
expect_voices() {
  local answer
  answer=$("$node" send --to "127.0.0.1:$port" /status/voices)
  ((${answer##* } >= 32)) || fail 70 "expected at least 32 voices; got $answer"
  voices=${answer##* }
}

measure() {
  command -v python3 >/dev/null || needed+=(python3)
  prepare CallbackTimer all-times sound-source
  # With real-time priority where it is permitted, as in a performance.
  prefer_realtime
  start_server
  head_table
  measure_everything
  echo "$voices voices; the limit is a fifth of the period"
}
