# scripts/bench library
#
# Measures a library of 100,000 takes: opening it, pages, and searches. Takes two minutes.

measure() {
  prepare
  echo "a library of 100,000 takes, pages of 100; cold: a new connection with an empty cache"
  echo "$machine"
  echo
  say "creating it, a minute"
  attend "$tools/library" "$work/home" 100000
}
