# The release build of the node. Scripts that source this have speech.bash and `root`, the project's folder.
build_release() {
  mkdir -p "$root/.build" 2>/dev/null && [[ -w $root/.build ]] \
    || fail 73 "can't write to $root/.build; use a clone of your own"
  say "building"
  # In the project's folder, because Swift's installer chooses the toolchain by .swift-version.
  cd "$root"
  quietly swift build --scratch-path .build -c release --static-swift-stdlib --product syrinx \
    || fail 70 "the build failed; see its output above"
}
