# What the rigs share: a folder and a JACK server of their own, programs that end with them, and
# lines that say what was checked. Sourced first, with `set -euo pipefail`.
#
# Afterwards `root` is the project's folder, `rigs` this one, `work` a temporary folder that is also
# HOME and XDG_RUNTIME_DIR, and `node` the program: a build of this folder, unless SYRINX_BINARY
# names another.
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
# What was started and may still run, in that order.
programs=()
faults=0

# What the surroundings say about a session, a server or a sound system is not meant for what is
# started here.
unset NSM_URL NOTIFY_SOCKET LD_PRELOAD DISPLAY WAYLAND_DISPLAY DBUS_SESSION_BUS_ADDRESS
unset XDG_DATA_HOME XDG_CONFIG_HOME XDG_STATE_HOME XDG_CACHE_HOME PIPEWIRE_REMOTE
export JACK_DEFAULT_SERVER=syrinx-rig JACK_NO_START_SERVER=1
export HOME=$work XDG_RUNTIME_DIR=$work

# --- Saying what was checked

# One line for each thing that was checked, with its figure.
good() { echo "ok    $*"; }
bad() {
  echo "FAULT $*"
  faults=$((faults + 1))
}

# check WHAT COMMAND...: good where the command is, else bad.
check() {
  if "${@:2}"; then good "$1"; else bad "$1"; fi
}

# Ends the rig by what was found.
conclude() {
  ((faults == 0)) || fail 1 "$faults of what it checked is not as it should be, see FAULT above"
  say "all is well"
}

# --- Beginning and ending programs

# Starts a program that ends with this script, whatever ends that, but not by itself at Ctrl-C.
# Its output goes to NAME.log, its process number to `started`.
start() {
  : >"$work/$1.log"
  setsid setpriv --pdeathsig TERM -- "${@:2}" </dev/null &>>"$work/$1.log" &
  started=$!
  programs+=("$started")
}

# Starts a program like `start`, that hears the lines which `tell NAME LINE` writes.
start_listener() {
  rm -f "$work/$1.lines"
  mkfifo "$work/$1.lines"
  : >"$work/$1.log"
  # Open for both, so that neither waits for the other.
  setsid setpriv --pdeathsig TERM -- "${@:2}" <>"$work/$1.lines" &>>"$work/$1.log" &
  started=$!
  programs+=("$started")
}

tell() { echo "$2" >"$work/$1.lines"; }

# Runs a program to its end. Bash hears signals while it waits, but not while it runs one.
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
  # One by one, because a server hangs when clients leave while it ends.
  for ((i = ${#programs[@]} - 1; i >= 0; i--)); do stop "${programs[i]}"; done
  if [[ -n ${RIG_KEEP-} ]]; then
    say "what it wrote is in $work"
  else
    rm -rf "$work"
  fi
}
trap finish EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# Runs a command until it succeeds, for so many seconds.
await() {
  local end=$((SECONDS + $1))
  until "${@:2}"; do
    ((SECONDS < end)) || return 1
    sleep 0.1
  done
}

# --- Preparing

# install COMMAND=PACKAGE...: has apt install the packages of the commands that are not there.
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

# The client that clicks and listens.
build_clicks() {
  clang -O2 -o "$work/clicks" "$rigs/clicks.c" -ljack -lm \
    || fail 70 "clicks.c does not compile"
}

# --- The node

# start_node [PREFIX...]: starts it, waits until it is ready, and sets `port`.
start_node() {
  start syrinx "$@" "$node" run -n syrinx -p 0 --home "$work/syrinx-home"
  syrinx=$started
  await 10 grep -q '^ready ' "$work/syrinx.log" \
    || fail 70 "the node does not become ready: $(tail -n 1 "$work/syrinx.log")"
  port=$(sed -n 's|^ready .*osc=osc.udp://[^ ]*:\([0-9]*\).*|\1|p' "$work/syrinx.log")
}

# Ends the node, and checks how it does.
end_node() {
  local status=0 since=$SECONDS
  kill -TERM "$syrinx"
  if await 10 is_gone "$syrinx"; then
    wait "$syrinx" || status=$?
    check "the node ends when asked to, with $status" test $status = 0
  else
    bad "the node does not end within $((SECONDS - since)) seconds"
  fi
}
is_gone() { ! is_running "$1"; }

send() { "$node" send --to "127.0.0.1:$port" "$@"; }
