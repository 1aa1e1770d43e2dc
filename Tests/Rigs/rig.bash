# Shared by the rigs: a folder and a JACK server of their own, programs that end with them, and the report of
# their checks. Sourced first, with `set -euo pipefail`.
#
# Sets `root` to the project's folder, `rigs` to this folder, `work` to a temporary folder that is also HOME and
# XDG_RUNTIME_DIR, and `node` to the program: a build of this folder, unless SYRINX_BINARY names another one.
rigs=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
root=$(dirname "$(dirname "$rigs")")
rig=$(basename "$0")
SPEAKER=${SPEAKER:-Tests/Rigs/$rig}
source "$root/scripts/lib/speech.bash"
source "$root/scripts/lib/build.bash"
source "$root/scripts/lib/apt.bash"
source "$root/scripts/lib/own-shm.bash"
source "$root/scripts/lib/processes.bash"
PATH+=:/opt/swift/usr/bin

own_shm "$(readlink -f "$0")" "$@"

work=$(mktemp -d)
chmod 700 "$work"
# Programs that were started and may still run, in that order.
programs=()
faults=0

# Programs started by a rig must not join the caller's session, server or sound system.
unset NSM_URL NOTIFY_SOCKET LD_PRELOAD DISPLAY WAYLAND_DISPLAY DBUS_SESSION_BUS_ADDRESS
unset XDG_DATA_HOME XDG_CONFIG_HOME XDG_STATE_HOME XDG_CACHE_HOME PIPEWIRE_REMOTE
export JACK_DEFAULT_SERVER=syrinx-rig JACK_NO_START_SERVER=1
export HOME=$work XDG_RUNTIME_DIR=$work

# --- Reporting

# One line per check, with its figure.
good() { echo "ok    $*"; }
bad() {
  echo "FAULT $*"
  faults=$((faults + 1))
}

# check TEXT COMMAND...: reports whether the command succeeds.
check() {
  if "${@:2}"; then good "$1"; else bad "$1"; fi
}

# Exits with 1 if a check has failed.
conclude() {
  ((faults == 0)) || fail 1 "$faults checks failed; see FAULT above"
  say "all checks passed"
}

# --- Starting and stopping programs

# Starts a program that terminates when this script exits, for whatever reason, but not on Ctrl-C.
# Writes its output to NAME.log and sets `started` to its process id.
start() {
  : >"$work/$1.log"
  setsid setpriv --pdeathsig TERM -- "${@:2}" </dev/null &>>"$work/$1.log" &
  started=$!
  programs+=("$started")
}

# Starts a program like `start`, with lines from `tell NAME LINE` as its standard input.
start_listener() {
  rm -f "$work/$1.lines"
  mkfifo "$work/$1.lines"
  : >"$work/$1.log"
  # Opened for reading and writing, so that neither side waits for the other.
  setsid setpriv --pdeathsig TERM -- "${@:2}" <>"$work/$1.lines" &>>"$work/$1.log" &
  started=$!
  programs+=("$started")
}

tell() { echo "$2" >"$work/$1.lines"; }

# Runs a program to its end in the background, because bash handles signals only while it waits.
attend() {
  local status=0
  setpriv --pdeathsig TERM -- "$@" </dev/null &
  programs+=("$!")
  { wait "$!" || status=$?; } 2>/dev/null
  return "$status"
}

finish() {
  trap '' INT TERM HUP
  local i
  # One by one, because a server hangs if clients leave while it shuts down.
  for ((i = ${#programs[@]} - 1; i >= 0; i--)); do stop "${programs[i]}"; done
  if [[ -n ${RIG_KEEP-} ]]; then
    say "recordings and logs are in $work"
  else
    rm -rf "$work"
  fi
}
trap finish EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# await SECONDS COMMAND...: runs a command until it succeeds; fails after the time limit.
await() {
  local end=$((SECONDS + $1))
  until "${@:2}"; do
    ((SECONDS < end)) || return 1
    sleep 0.1
  done
}

# --- Preparation

# install_missing COMMAND=PACKAGE...: installs the packages of missing commands with apt.
install_missing() {
  local each missing=()
  for each; do
    command -v "${each%%=*}" >/dev/null || missing+=("${each#*=}")
  done
  ((${#missing[@]})) || return 0
  install_packages "${missing[@]}"
}

build_node() {
  node=${SYRINX_BINARY:-$root/.build/release/syrinx}
  [[ -z ${SYRINX_BINARY-} ]] || return 0
  (build_release)
}

# Builds the client that plays and records clicks.
build_clicks() {
  clang -O2 -o "$work/clicks" "$rigs/clicks.c" -ljack -lm \
    || fail 70 "clicks.c does not compile"
}

# --- The node

# start_node [PREFIX...]: starts the node, waits until it is ready, and sets `port`.
start_node() {
  start syrinx "$@" "$node" run -n syrinx -p 0 --home "$work/syrinx-home"
  syrinx=$started
  await 10 grep -q '^ready ' "$work/syrinx.log" \
    || fail 70 "the node does not become ready: $(tail -n 1 "$work/syrinx.log")"
  port=$(sed -n 's|^ready .*osc=osc.udp://[^ ]*:\([0-9]*\).*|\1|p' "$work/syrinx.log")
}

# Terminates the node, and checks its exit code.
end_node() {
  local status=0 since=$SECONDS
  kill -TERM "$syrinx"
  if await 10 is_gone "$syrinx"; then
    wait "$syrinx" || status=$?
    check "the node exits with $status on SIGTERM" test $status = 0
  else
    bad "the node still runs $((SECONDS - since)) s after SIGTERM"
  fi
}
is_gone() { ! is_running "$1"; }

send() { "$node" send --to "127.0.0.1:$port" "$@"; }
