# Installing Debian packages. Scripts that source this have speech.bash.

may_use_sudo() {
  command -v sudo >/dev/null || return
  # Only a terminal can ask for a password.
  if [[ -t 0 ]]; then sudo -v; else sudo -n true; fi 2>/dev/null
}

install_packages() {
  local as_root=() apt=(apt-get -q -y -o DPkg::Lock::Timeout=120)
  command -v apt-get >/dev/null || fail 69 "can install packages on Debian only; elsewhere install the equivalents of: $*"
  if ((EUID != 0)); then
    may_use_sudo || fail 77 "not root; run as root:" \
      "apt-get update && apt-get install --no-install-recommends $*"
    as_root=(sudo)
  fi
  say "installing $*"
  # The owner of the machine decides who may run with real-time priority.
  if [[ " $* " == *" jackd2 "* ]]; then
    "${as_root[@]}" debconf-set-selections <<<"jackd2 jackd/tweak_rt_limits boolean false"
  fi
  # Without a database cluster that starts with the machine: the tests create their own.
  local no_database=/etc/postgresql-common/createcluster.d/syrinx.conf
  if [[ " $* " == *" postgresql "* ]]; then
    "${as_root[@]}" mkdir -p "${no_database%/*}"
    "${as_root[@]}" tee "$no_database" <<<"create_main_cluster = false" >/dev/null
  fi
  as_root+=(env DEBIAN_FRONTEND=noninteractive)
  quietly "${as_root[@]}" "${apt[@]}" update \
    || fail 69 "apt-get update failed; see its output above"
  quietly "${as_root[@]}" "${apt[@]}" install --no-install-recommends "$@" \
    || fail 69 "apt-get install failed; see its output above"
  "${as_root[@]}" rm -f "$no_database"
}
