# How the scripts build the node; they have speech.bash, too, and `root`, the project's folder.
build_release() {
  mkdir -p "$root/.build" 2>/dev/null && [[ -w $root/.build ]] \
    || fail 73 "can't write to $root/.build; make a clone of your own"
  say "building"
  # In its folder, because Swift's own installer chooses the toolchain by .swift-version.
  cd "$root"
  quietly swift build --scratch-path .build -c release --static-swift-stdlib --product syrinx \
    || fail 70 "the build failed; what it said stands above"
}
