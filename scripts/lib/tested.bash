# Running tests with a time limit, and a log each. Scripts that source this have `root`, `logs`, the folder
# of the logs, and `test_build`, that of the build whose tests drive running nodes.
source "$root/scripts/lib/speech.bash"

# tests_of FOLDER: the test program of a build. Its exit code alone tells whether the tests passed; 69 is
# that there are none.
tests_of() { echo "$root/$1/syrinxPackageTests.xctest"; }

list_tests() { "$1" --testing-library swift-testing --list-tests 2>/dev/null; }

node_suites() {
  list_tests "$(tests_of "$test_build")" \
    | sed -nE 's#^NodeTests\.(NodeTests/)?([A-Za-z]+)/.*#\2#p' | grep 'Tests$' | sort -u
}

# Divides the names of long suites, each of whose parts stays below the time limit.
in_parts() {
  local suite part
  while read -r suite; do
    if [[ $suite == PageTests ]]; then
      for part in A-C D-G H-P Q-R S T-Z; do echo "PageTests/Page[$part]"; done
    else
      echo "$suite"
    fi
  done
}

# Waits for a build of another job.
await_built() { until [[ -e $logs/$1.built ]]; do sleep 0.5; done; }

# tested NAME SECONDS PROGRAM...: runs a test program and prints how it went. A program that runs longer
# hangs, which is a failure; what its threads wait for is printed.
tested() {
  local name=$1 seconds=$2 log=$logs/$1.log status=0
  shift 2
  limited "$log" "$seconds" "$@" || status=$?
  if ((status != 0)); then
    say "$name failed with $status; see $log: $*"
    if ((status == 124)); then
      say "it hung after $seconds s:"
      cat "$log.hung" >&2
    fi
    # Each kind of message three times at most: one failure can repeat a hundred times, and hide others.
    messages_of "$log" | head -40 >&2
    # The whole of a sanitizer's first report: it may not be reproducible.
    grep -m 1 -A 60 -E '(ERROR|WARNING): (Address|Thread)Sanitizer' "$log" >&2 || true
    return 70
  fi
  local summary
  summary=$(grep -oE '[0-9]+ tests? in .*' "$log" | tail -1) || true
  say "$name: ${summary:-$(tail -1 "$log")}"
}

# messages_of LOG: the messages of what failed, without repetitions that differ in numbers only; the end of the
# log if it has none.
messages_of() {
  local messages
  messages=$(
    grep -E '✘|↳|error:|ERROR|WARNING: Thread|SUMMARY' "$1" | awk '
      # The explanation of the message before.
      /↳/ { if (isShown) print; next }
      { kind = $0; gsub(/[0-9.]+/, "#", kind); isShown = ++seen[kind] <= 3; if (isShown) print }'
  )
  if [[ -n $messages ]]; then echo "$messages"; else tail -20 "$1"; fi
}

# limited LOG SECONDS PROGRAM...: runs a program with its output in a log, and ends it after a time limit
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
      # With the nodes and servers that it has started.
      pkill -KILL -P "$tests" || true
      kill -KILL "$tests" 2>/dev/null || true
      wait "$program" 2>/dev/null || true
      return 124
    fi
    sleep 0.2
  done
  wait "$program"
}

# The process of the tests, below those that set its stage.
innermost() {
  local child
  child=$(pgrep -P "$1" -f xctest | head -1) || true
  if [[ -n $child ]]; then innermost "$child"; else echo "$1"; fi
}

# lanes [MOST]: the number of lanes: MOST, or three, if each can have a /dev/shm of its own, else one. Suites
# mostly wait for time to pass; beside builds on two cores, more than three take no less time.
lanes() { if own_memory true 2>/dev/null; then echo "${1-3}"; else echo 1; fi; }

# Runs a program with a /dev/shm of its own. JACK keeps the names of its servers there, eight of them, those
# of crashed ones too, and tests crash servers. Their files are there as well, away from the disk on which the
# machine builds.
own_memory() {
  unshare --mount bash -c 'mount -t tmpfs tmpfs /dev/shm && mkdir /dev/shm/files \
    && TMPDIR=/dev/shm/files exec "$@"' own "$@"
}

# Ends the nodes, servers and browsers that a suite which crashed or hung has left: in freewheel mode they take
# a whole core from all others.
end_left_over() {
  local process
  for process in $(grep -lzxF "SYRINX_SUITE=$SYRINX_SUITE" /proc/[0-9]*/environ 2>/dev/null); do
    process=${process//[^0-9]/}
    if ((process != $$ && process != BASHPID)); then kill -KILL "$process" 2>/dev/null || true; fi
  done
}

# node_suite BUILD SUITE [NAME]: runs a suite of tests, or a part of one, with the node of a build, in a
# process and with servers of its own. Notes NAME if it fails, which is BUILD.SUITE by default, else its
# seconds and seconds of a core. `suite_seconds` is the time limit, 1200 s by default.
node_suite() {
  local build=$1 suite=$2 name=${3-$1.$2} memory=() program real user system
  name=${name//[^A-Za-z0-9.]/-}
  case $build in
    release) export SYRINX_BINARY=$root/.build/realtime/release/syrinx ;;
    address) export SYRINX_BINARY=$root/.build/address/release/syrinx ;;
  esac
  if (($(lanes) > 1)); then memory=(own_memory); fi
  if [[ $suite == tour ]]; then
    program=("$root/Tests/Rigs/tour" "$SYRINX_BINARY")
    # It has a /dev/shm of its own already, with its files in it.
    if (($(lanes) > 1)); then program=(env SYRINX_OWN_SHM=1 "${program[@]}"); fi
  else
    program=(
      "$(tests_of "$test_build")" --testing-library swift-testing
      --filter "^NodeTests\.(NodeTests/)?$suite[^/]*/"
    )
  fi
  TIMEFORMAT='%0R %0U %0S'
  export SYRINX_SUITE=$name
  { time tested "$name" "${suite_seconds-1200}" "${memory[@]}" "${program[@]}" 2>&3 || echo "$name" >>"$logs/failed"; } 3>&2 \
    2>"$logs/$name.time"
  end_left_over
  read -r real user system <"$logs/$name.time"
  rm "$logs/$name.time"
  if grep -qsxF "$name" "$logs/failed"; then return 1; fi
  grep -hE '^(time-tagged|back on|killed)' "$logs/$name.log" >"$logs/$name.figures" || true
  printf '%6d %6d  %s\n' "$real" $((user + system)) "$name" >>"$logs/suites.seconds"
}
