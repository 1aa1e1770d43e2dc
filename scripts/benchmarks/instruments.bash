# scripts/bench instruments [FONT...]
#
# Measures the time from loading each program of Debian's soundfonts to its first note, and to its last
# sample, and the time and memory of the piano and of the slowest program compared with FluidSynth; or
# those of other soundfonts. Downloads 400 MB, which it neither installs nor keeps. Takes some minutes.

# Sets `fonts` to Debian's free soundfonts, unpacked into the work folder.
fetch_fonts() {
  local packages=(
    fluid-soundfont-gm fluidr3mono-gm-soundfont timgm6mb-soundfont musescore-general-soundfont
    musescore-general-soundfont-small opl3-soundfont
  ) package
  mkdir -p "$work/fonts"
  for package in "${packages[@]}"; do
    say "downloading $package"
    (cd "$work/fonts" && quietly apt-get -q download "$package") || continue
    dpkg -x "$work/fonts/$package"_*.deb "$work/fonts"
    rm "$work/fonts/$package"_*.deb
  done
  mapfile -t fonts < <(find "$work/fonts" -type f -name '*.sf[23]' | sort)
  ((${#fonts[@]})) || fail 69 "apt-get could not download any of ${packages[*]}"
}

measure() {
  local fonts=() slowest=() font row i program peer
  for font; do fonts+=("$(readlink -f "$font")"); done
  prepare
  ((${#fonts[@]})) || fetch_fonts
  echo "programs of soundfonts, compared with FluidSynth, all files cached; $machine"
  echo
  printf '%-34s%10s%10s%10s%10s   %s\n' \
    '' 'first ms' worst 'whole ms' worst 'slowest program'
  for font in "${fonts[@]}"; do
    cat "$font" >/dev/null
    row=$(attend "$tools/sampler" programs "$font")
    echo "$row"
    slowest+=("${row##*   }")
  done
  for i in "${!fonts[@]}"; do
    for program in '0 0' "${slowest[i]}"; do
      echo
      printf '%-34s%10s%10s\n' "$(basename "${fonts[i]}"), $program" 'whole ms' 'MB'
      # shellcheck disable=SC2086
      for peer in 0 1 3; do attend "$tools/sampler" load "${fonts[i]}" "$peer" $program; done
      [[ ${slowest[i]} != '0 0' ]] || break
    done
  done
}
