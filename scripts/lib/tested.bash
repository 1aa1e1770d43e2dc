# How scripts/check runs tests: with a limit of time, and a log each. It has `root`, and the folder `logs`.
source "$root/scripts/lib/speech.bash"

# tests_of FOLDER: the program that has a build's tests. It tells by its exit code alone how they went,
# and by 69 that there are none.
tests_of() { echo "$root/$1/syrinxPackageTests.xctest"; }

list_tests() { "$1" --testing-library swift-testing --list-tests 2>/dev/null; }

# tested NAME SECONDS PROGRAM...: runs a program that has tests, and says how they went. What takes
# longer hangs, and is a fault like any other; what its threads wait for is told.
tested() {
  local name=$1 seconds=$2 log=$logs/$1.log status=0
  shift 2
  limited "$log" "$seconds" "$@" || status=$?
  if ((status != 0)); then
    say "$name failed, with $status; all of it is in $log: $*"
    if ((status == 124)); then
      say "it hung after $seconds s:"
      cat "$log.hung" >&2
    fi
    grep -E '✘|error:|ERROR|WARNING: Thread|SUMMARY' "$log" | head -40 >&2 || tail -5 "$log" >&2
    # What a sanitizer found is told whole, the first time: it may not come again.
    grep -m 1 -A 60 -E '(ERROR|WARNING): (Address|Thread)Sanitizer' "$log" >&2 || true
    return 70
  fi
  say "$name: $(grep -oE '[0-9]+ tests? in .*' "$log" | tail -1)"
}

# limited LOG SECONDS PROGRAM...: runs a program with its output in a log; ends it after some time,
# with 124.
limited() {
  local log=$1 seconds=$2 program tests
  shift 2
  "$@" >"$log" 2>&1 &
  program=$!
  local end=$((SECONDS + seconds))
  while kill -0 "$program" 2>/dev/null; do
    if ((SECONDS >= end)); then
      tests=$(innermost "$program")
      {
        "$root/scripts/hung" "$tests" || true
        gdb --batch --pid "$tests" -ex 'thread apply all backtrace' || true
      } >"$log.hung" 2>&1
      # With it the nodes and servers that it has started.
      pkill -KILL -P "$tests" || true
      kill -KILL "$tests" 2>/dev/null || true
      wait "$program" 2>/dev/null || true
      return 124
    fi
    sleep 0.2
  done
  wait "$program"
}

# The tests' own process, below what sets the stage for it.
innermost() {
  local child
  child=$(pgrep -P "$1" -f xctest | head -1) || true
  if [[ -n $child ]]; then innermost "$child"; else echo "$1"; fi
}

# Whether each lane can have memory of its own. Where not, there is one lane.
lanes() { if own_memory true 2>/dev/null; then echo 2; else echo 1; fi; }

# Runs a program with a /dev/shm of its own, in which JACK keeps the names of its servers, eight of them,
# those of crashed ones too: the tests crash servers. Their files are there as well, lest they wait for
# a disk on which the machine builds.
own_memory() {
  unshare --mount bash -c 'mount -t tmpfs tmpfs /dev/shm && mkdir /dev/shm/files \
    && TMPDIR=/dev/shm/files exec "$@"' own "$@"
}

# node_suite BUILD SUITE: runs a suite of tests with the node of a build, in a process and with servers
# of its own; notes it where it fails.
node_suite() {
  local build=$1 suite=$2 name=$1.$2 memory=() begin=$SECONDS
  case $build in
    release) export SYRINX_BINARY=$root/.build/realtime/release/syrinx ;;
    debug) export SYRINX_BINARY=$root/.build/debug/syrinx ;;
    address)
      # It is built while others are tested.
      until [[ -e $logs/address.built ]]; do sleep 1; done
      # libjack keeps what it allocated until the end.
      export SYRINX_BINARY=$root/.build/address/release/syrinx ASAN_OPTIONS=detect_leaks=0
      ;;
  esac
  if (($(lanes) == 2)); then memory=(own_memory); fi
  tested "$name" 600 "${memory[@]}" "$(tests_of .build/debug)" --testing-library swift-testing \
    --filter "^NodeTests\.(NodeTests/)?$suite/" || {
    echo "$name" >>"$logs/failed"
    return 1
  }
  grep -hE '^(time-tagged|back on|killed)' "$logs/$name.log" >"$logs/$name.figures" || true
  printf '%6d  %s\n' $((SECONDS - begin)) "$name" >>"$logs/suites.seconds"
}
