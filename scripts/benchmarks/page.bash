# scripts/bench page
#
# Measures the time from a touch of the page in Chromium to the sound, compared with the same touch by a
# datagram; xruns while 64 pages send 60 messages a second each, compared with none; and what the page
# costs in memory and start time. Takes three minutes, and the build of the tests.

measure() {
  "$root/scripts/setup" test
  cd "$root"
  say "building"
  build_node
  SYRINX_TESTS=NodeTests quietly swift build --build-tests \
    || fail 70 "the build of the tests failed; see its output above"
  say "measuring, three minutes"
  # Only the figures, without the progress of the tests.
  SYRINX_PAGE_FIGURES=1 SYRINX_BINARY=$node \
    .build/debug/syrinxPackageTests.xctest --testing-library swift-testing --filter PageFigures \
    2>/dev/null | grep -vE '[◇✔↳]'
}
