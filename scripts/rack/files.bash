# The files of an installation, for scripts/install and scripts/package, which have set `root`, `kind` and the
# folders, see places.bash.

# Settings, which are not overwritten once changed, and the files that they are copied from.
declare -A original=()

put() { install -D -m "$1" "$2" "$work$3"; }

# Installs a file with its placeholders replaced.
fill() {
  mkdir -p "$(dirname "$work$2")"
  sed -e "s|@BIN@|$bin|g; s|@LIB@|$lib|g; s|@RACK@|$rack_page|g; s|@CONFIG@|$config|g; s|@HOME@|$home|g" \
    "$root/scripts/rack/$1" >"$work$2"
  chmod 644 "$work$2"
}

# stage BINARY WITH_JACKD: puts all files into the folder `work`.
stage() {
  local file
  put 755 "$1" "$bin/syrinx"
  while IFS= read -r file; do
    put 644 "$root/Presets/$file" "$share/Presets/$file"
  done < <(cd "$root/Presets" && find . -type f -printf '%P\n')
  fill "$kind/syrinx.service" "$units/syrinx.service"
  put 755 "$root/scripts/rack/node" "$lib/node"
  put 644 "$root/scripts/rack/notify.bash" "$lib/notify.bash"
  put_settings syrinx.conf
  if $2; then
    put 755 "$root/scripts/rack/jackd" "$lib/jackd"
    put 644 "$root/scripts/rack/cards.bash" "$lib/cards.bash"
    fill "$kind/syrinx-jackd.service" "$units/syrinx-jackd.service"
    put_settings jackd.conf
  fi
  [[ -z $users ]] || fill sysusers.conf "$users/syrinx.conf"
}
