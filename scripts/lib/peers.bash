# The program `effects` of the benchmarks, and libraries of peers that it loads. Scripts that source this have
# speech.bash and `root`, the project's folder. Before `compile` they call `build_effects`, and set the array
# `libraries` to the linker's options.
benchmarks=$root/Tests/Benchmarks
effects=$root/.build/benchmarks/release/effects
peers=$root/.build/benchmarks/peers

# Sets `compiler`, too.
build_effects() {
  compiler=$(command -v clang++ || command -v c++) || fail 69 "needs a C++ compiler"
  # In the project's folder, because Swift's installer chooses the toolchain by .swift-version.
  cd "$root"
  quietly swift build --package-path Tests/Benchmarks --scratch-path .build/benchmarks -c release \
    --product effects || fail 70 "the build failed; see its output above"
  mkdir -p "$peers"
}

# Builds a library of peers unless it is up to date.
compile() {
  local name=$1 source=$2
  local library=$peers/$name.so header=$benchmarks/Sources/Harness/include/effect.h
  if [[ $library -nt $source && $library -nt $header && $library -nt $benchmarks/Peers/plugin.h ]]
  then
    return 0
  fi
  rm -f "$library"
  # Fully optimized, for a fair comparison.
  "$compiler" -std=c++17 -O3 -march=native -shared -fPIC -w \
    -I "$benchmarks/Sources/Harness/include" "${@:3}" "$source" -o "$library.new" \
    "${libraries[@]}" &>"$peers/$name.log" || return 1
  mv "$library.new" "$library"
}

# Prints why a library was not built.
cause() { grep -m 1 -i error "$peers/$1.log" || head -n 1 "$peers/$1.log"; }
