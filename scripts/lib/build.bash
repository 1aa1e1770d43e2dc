# The release build of the node. Scripts that source this have speech.bash and `root`, the project's folder.

# Prints the commit of a clone and its date, such as "cfc1492b4a3e 2026-11-29", and nothing without a clone.
commit_of_clone() {
  local commit
  [[ -e $root/.git ]] && command -v git >/dev/null || return 0
  commit=$(git -C "$root" describe --always --dirty --abbrev=12 --exclude '*' 2>/dev/null) || return 0
  echo "$commit $(git -C "$root" show -s --format=%cs)"
}

# Builds the node. Only its debug information has the names of the folders in which it was built.
build_release() {
  local commit
  mkdir -p "$root/.build" 2>/dev/null && [[ -w $root/.build ]] \
    || fail 73 "can't write to $root/.build; use a clone of your own"
  say "building"
  commit=$(commit_of_clone)
  # In the project's folder, because Swift's installer chooses the toolchain by .swift-version.
  cd "$root"
  quietly env ${commit:+SYRINX_COMMIT="$commit"} \
    swift build --scratch-path .build -c release --static-swift-stdlib --product syrinx \
    || fail 70 "the build failed; see its output above"
}
