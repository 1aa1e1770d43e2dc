# How these scripts speak: to standard error, in single lines that begin with who speaks.
# The script that the person called speaks for those that it calls.
export SPEAKER=${SPEAKER:-scripts/$(basename "$0")}

say() { echo "$SPEAKER: $*" >&2; }

# Ends with a code after sysexits.
fail() {
  say "${@:2}"
  exit "$1"
}

# Runs a command that nobody wants to read while it goes well: a terminal shows its last line
# as it works, and only a failure shows all it said. Ends as the command, whatever the shell is set to.
quietly() {
  local output status=0
  output=$("$@" 2>&1 </dev/null | while IFS= read -r line; do
    echo "$line"
    if [[ -t 2 ]]; then printf '\r\e[K%.79s' "$line" >&2; fi
  done
  exit "${PIPESTATUS[0]}") || status=$?
  if [[ -t 2 ]]; then printf '\r\e[K' >&2; fi
  if ((status != 0)); then echo "$output" >&2; fi
  return "$status"
}
