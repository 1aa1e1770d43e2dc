# scripts/check --again. The script that sources this has tested.bash.

# Prints the names of the failed tests in a log, sorted.
failed_test() {
  sed -nE 's/\x1b\[[0-9;]*m//g; s/^✘ Test (.*) (failed after|recorded an issue at) .*/\1/p' "$1" | sort -u
}

# Prints the number of failures so far.
failures() { cat "$logs/failures" 2>/dev/null | wc -l; }

# again N SUITE...: runs suites N times while a busy loop takes one core.
again() {
  local count=${1-} suite suites=() all round name build=given runs=0
  [[ $count =~ ^[1-9][0-9]*$ ]] && (($# > 1)) \
    || fail 64 "--again takes a number and suites, such as --again 20 MIDITests; got $*"
  shift
  logs=$root/.build/check/again
  mkdir -p "$logs"
  rm -rf "${logs:?}"/*
  if [[ -z ${SYRINX_BINARY-} ]]; then
    build=release
    say "building"
    SYRINX_SANITIZE=realtime quietly swift build --build-tests || fail 70 "the build failed"
    SYRINX_SANITIZE=realtime quietly swift build -c release --scratch-path .build/realtime \
      --product syrinx || fail 70 "the build failed"
  fi
  all=$(node_suites)
  for suite; do
    case $suite in
      nodes) mapfile -t -O "${#suites[@]}" suites <<<"$all" ;;
      *)
        grep -qxF "$suite" <<<"$all" \
          || (($(list_tests "$(tests_of .build/debug)" | grep -c "^$suite[./]") > 0)) \
          || fail 64 "unknown suite $suite; the suites of running nodes are: ${all//$'\n'/ }"
        suites+=("$suite")
        ;;
    esac
  done
  # The busy loop, at normal priority.
  taskset -c 0 bash -c 'while :; do :; done' &
  # shellcheck disable=SC2064
  trap "kill $! 2>/dev/null || true" EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  for ((round = 1; round <= count; round++)); do
    for suite in "${suites[@]}"; do
      name=$suite.$round
      runs=$((runs + 1))
      if grep -qxF "$suite" <<<"$all"; then
        node_suite "$build" "$suite" "$name" 2>/dev/null || again_failed "$suite" "$name"
      else
        tested "$name" 900 "$(tests_of .build/debug)" --testing-library swift-testing \
          --filter "^$suite[./]" 2>/dev/null || again_failed "$suite" "$name"
      fi
    done
    say "round $round of $count: $(failures) failures in $runs runs"
  done
  [[ -e $logs/failures ]] || { say "$runs runs passed with one core busy" && return; }
  sort "$logs/failures" | uniq -c | sort -rn >&2
  fail 70 "$(failures) failures in $runs runs with one core busy; logs are in $logs"
}

# Records the tests that failed in a run, or the whole suite if it crashed or hung.
again_failed() {
  local tests
  tests=$(failed_test "$logs/$2.log")
  sed "s/^/$1: /" <<<"${tests:-hung or crashed}" >>"$logs/failures"
  say "$2 failed: ${tests:-hung or crashed}"
}
