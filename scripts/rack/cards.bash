# How scripts/run and the service of the JACK server choose a sound card, and what jackd may do.

# Elsewhere only where cards that come and go are tried.
cards=${SYRINX_CARDS:-/proc/asound}

# Sets `folder` and `card` to the card of a name, or for `auto` to the first one that plays and hears,
# else the first one that plays; fails if it is not there.
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
    # The first one that hears, too, is the one.
    if [[ $wanted != auto || -e $each/pcm0c ]]; then break; fi
  done
  [[ -n $card ]]
}

# Others are asked over the session's D-Bus to let go of the card; where there is no such bus, jackd
# would give up.
ask_for_card_if_possible() {
  if [[ -z ${DBUS_SESSION_BUS_ADDRESS-} && ! -S ${XDG_RUNTIME_DIR-}/bus ]]; then
    export JACK_NO_AUDIO_RESERVATION=1
  fi
}

# Whether a program may run with this real-time priority.
may_run_with() { chrt --fifo "$1" true 2>/dev/null; }
