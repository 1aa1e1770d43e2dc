# Messages, errors and help of the scripts. Messages are single lines on standard error and begin with
# the name of the script that the user called, also when that script calls others.
export SPEAKER=${SPEAKER:-scripts/$(basename "$0")}

say() { echo "$SPEAKER: $*" >&2; }

# fail CODE MESSAGE...: exits with a code from sysexits.
fail() {
  say "${@:2}"
  exit "$1"
}

# Prints the comment at the top of a script as its help.
help_of() { sed -nE '/^#!/d; /^#/!q; s/^# ?//p' "$1"; }

# Runs a command and prints its output only if it fails. A terminal shows the last line meanwhile.
# Returns the exit code of the command, whatever the shell options are.
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
