# scripts/check --again. The script that sources this has tested.bash and the builds.

# Prints the names of the failed tests in a log, sorted.
failed_test() {
  sed -nE 's/\x1b\[[0-9;]*m//g; s/^✘ Test (.*) (failed after|recorded an issue at) .*/\1/p' "$1" | sort -u
}

# Prints the number of failures so far.
failures() { cat "$logs/failures" 2>/dev/null | wc -l; }

# again N SUITE...: runs suites N times, several at once, while a busy loop takes one core.
again() {
  local count=${1-} suite suites=() all round runs lanes
  [[ $count =~ ^[1-9][0-9]*$ ]] && (($# > 1)) \
    || fail 64 "--again takes a number and suites, such as --again 20 MIDITests; got $*"
  shift
  logs=$root/.build/check/again
  mkdir -p "$logs"
  rm -rf "${logs:?}"/*
  node_build=given
  if [[ -z ${SYRINX_BINARY-} ]]; then
    node_build=release
    say "building"
    quietly build_address || fail 70 "the build failed"
    quietly build_release || fail 70 "the build failed"
  fi
  export node_build
  all=$(node_suites | in_parts)
  for suite; do
    case $suite in
      nodes) mapfile -t -O "${#suites[@]}" suites <<<"$all" ;;
      *)
        grep -qxF "$suite" <<<"$all" \
          || (($(list_tests "$(tests_of "$test_build")" | grep -c "^$suite[./]") > 0)) \
          || [[ $suite == PageTests ]] \
          || fail 64 "unknown suite $suite; the suites of running nodes are: ${all//$'\n'/ }"
        mapfile -t -O "${#suites[@]}" suites < <(in_parts <<<"$suite")
        ;;
    esac
  done
  # The busy loop, at normal priority.
  taskset -c 0 bash -c 'while :; do :; done' &
  # shellcheck disable=SC2064
  trap "kill $! 2>/dev/null || true" EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  runs=$((count * ${#suites[@]}))
  lanes=$(lanes 6)
  # The contrast of all pages took 600 s in one of six lanes, with builds beside them.
  export suite_seconds=2400
  say "$runs runs, $lanes at a time"
  for ((round = 1; round <= count; round++)); do
    for suite in "${suites[@]}"; do
      # Units have no node.
      if grep -qxF "$suite" <<<"$all"; then echo "$suite $round node"; else echo "$suite $round units"; fi
    done
  done | xargs -P "$lanes" -L 1 bash -c \
    'source "$root/scripts/lib/tested.bash"; source "$root/scripts/lib/again.bash"; again_once "$@"' lane
  [[ -e $logs/failures ]] || { say "$runs runs passed with one core busy" && return; }
  sort "$logs/failures" | uniq -c | sort -rn >&2
  fail 70 "$(failures) failures in $runs runs with one core busy; logs are in $logs"
}

# again_once SUITE ROUND node|units: runs a suite, and records the tests that failed, or the whole suite if it
# crashed or hung.
again_once() {
  local suite=$1 name=${1//[^A-Za-z0-9.]/-}.$2 tests status=0
  case $3 in
    node) node_suite "$node_build" "$suite" "$name" 2>/dev/null || status=$? ;;
    units)
      tested "$name" 900 "$(tests_of "$test_build")" --testing-library swift-testing \
        --filter "^$suite[./]" 2>/dev/null || status=$?
      ;;
  esac
  if ((status == 0)); then
    say "$name passed"
    return
  fi
  tests=$(failed_test "$logs/$name.log")
  sed "s/^/$suite: /" <<<"${tests:-hung or crashed}" >>"$logs/failures"
  say "$name failed: ${tests:-hung or crashed}"
}
