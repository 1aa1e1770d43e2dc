# The choice of a sound card and of scheduling, for scripts/run and the service of the JACK server.

# Tests of cards that are plugged in and out set another folder.
cards=${SYRINX_CARDS:-/proc/asound}

# Sets `folder` and `card` to the card with a name, or for `auto` to the first one with playback and capture,
# else the first one with playback. Fails if there is none.
find_card() {
  local wanted=$1 each name
  card=
  for each in "$cards"/card[0-9]*; do
    { read -r name <"$each/id"; } 2>/dev/null || continue
    if [[ $wanted != auto ]]; then
      [[ $name == "$wanted" ]] || continue
    elif [[ ! -e $each/pcm0p ]] || [[ -n $card && ! -e $each/pcm0c ]]; then
      continue
    fi
    folder=$each card=$name
    # The first one with capture, too.
    if [[ $wanted != auto || -e $each/pcm0c ]]; then break; fi
  done
  [[ -n $card ]]
}

# jackd reserves the card through the D-Bus session bus, and fails without one.
ask_for_card_if_possible() {
  if [[ -z ${DBUS_SESSION_BUS_ADDRESS-} && ! -S ${XDG_RUNTIME_DIR-}/bus ]]; then
    export JACK_NO_AUDIO_RESERVATION=1
  fi
}

# Succeeds if programs may run with this real-time priority.
may_run_with() { chrt --fifo "$1" true 2>/dev/null; }
