# The choice of a sound card and of scheduling, for scripts/run and the service of the JACK server.

# Tests of cards that are plugged in and out set another folder.
cards=${SYRINX_CARDS:-/proc/asound}

# Sets `order` to the words of a list of cards, the preferred one first: names in [brackets] in
# /proc/asound/cards; `auto` for any card; and last, perhaps, `none` for no sound until a card is there.
# Fails if it is not such a list; numbers depend on the order in which cards are plugged in.
read_cards() {
  local each
  read -ra order <<<"${1//,/ }"
  ((${#order[@]})) || return 1
  for each in "${order[@]}"; do
    [[ $each =~ ^[A-Za-z0-9_-]+$ && ! $each =~ ^[0-9]+$ ]] || return 1
  done
  [[ " ${order[*]} " != *" none "*" "* || " ${order[*]} " == *" none " ]]
}

# Succeeds if a card is not to be used now, because it has just failed; replaced by the service.
is_put_aside() { false; }

# Sets `folder` and `card` to the card with a name, or for `auto` to the first one with playback and capture,
# else the first one with playback. Fails if there is none.
find_card() {
  local wanted=$1 each name
  card=
  for each in "$cards"/card[0-9]*; do
    { read -r name <"$each/id"; } 2>/dev/null || continue
    if is_put_aside "$name"; then continue; fi
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

# Sets `folder` and `card` to the first card of `order` that is there, or `card` to `none`. Fails if there is
# nothing to start with.
find_first_card() {
  local each
  for each in "${order[@]}"; do
    if [[ $each == none ]]; then
      card=none folder=
      return
    fi
    if find_card "$each"; then return; fi
  done
  return 1
}

# jackd reserves the card through the D-Bus session bus, and fails without one.
ask_for_card_if_possible() {
  if [[ -z ${DBUS_SESSION_BUS_ADDRESS-} && ! -S ${XDG_RUNTIME_DIR-}/bus ]]; then
    export JACK_NO_AUDIO_RESERVATION=1
  fi
}

# Succeeds if programs may run with this real-time priority.
may_run_with() { chrt --fifo "$1" true 2>/dev/null; }
