# The folders of an installation, for scripts/install and scripts/uninstall, which have speech.bash, too.

# --- Common options

prefix=''
# system or user
kind=system
# The root folder of a system that is not running; empty for the running one.
DESTDIR=${DESTDIR-}

# Parses a common option; fails if it is not one. Sets `taken` to the number of its arguments.
take_option() {
  taken=1
  case $1 in
    --user) kind=user ;;
    --prefix)
      [[ -n ${2-} ]] || fail 64 "--prefix takes a folder"
      prefix=$2
      taken=2
      ;;
    --prefix=*)
      prefix=${1#*=}
      [[ -n $prefix ]] || fail 64 "--prefix takes a folder"
      ;;
    *) return 1 ;;
  esac
}

# Prints a path without trailing slashes.
trimmed() {
  local path=$1
  while [[ $path == */ ]]; do path=${path%/}; done
  echo "$path"
}

# Fails unless a folder can be written into a systemd unit without quoting.
check_folder() {
  [[ $2 =~ ^(/[A-Za-z0-9._+@-]+)+$ && $2/ != */../* ]] \
    || fail 64 "$1 must be an absolute path of letters, digits and . _ + @ - for systemd; got \"$2\""
}

# --- Folders

# Succeeds if the Debian package is meant: for the running system, without another folder, and without an
# installation in /usr/local that an earlier version made.
is_for_package() {
  [[ $kind == system && -z $prefix && -z $DESTDIR && ! -e /usr/local/lib/syrinx/installed ]] \
    && command -v apt-get >/dev/null
}

# Sets the folders of the system or the user, from `kind` and `prefix`.
set_places() {
  if [[ -n $DESTDIR ]]; then DESTDIR=$(readlink -m "$DESTDIR"); fi
  if [[ $DESTDIR == / ]]; then DESTDIR=; fi
  if [[ $kind == user ]]; then
    [[ -n $DESTDIR || ${SUDO_USER:-root} == root ]] || ((EUID != 0)) \
      || fail 64 "--user installs for the calling user, which is root under sudo; run it without sudo"
    prefix=$(trimmed "${prefix:-$HOME/.local}")
    local settings
    settings=$(trimmed "${XDG_CONFIG_HOME:-$HOME/.config}")
    check_folder "the folder for settings" "$settings"
    config=$settings/syrinx
    units=$settings/systemd/user
    all_units=("$units")
    wants=$units/default.target.wants
    users=''
    home=$(trimmed "${XDG_DATA_HOME:-$HOME/.local/share}")/syrinx
    check_folder "the data directory" "$home"
    manager=(systemctl --user)
    journal="journalctl --user"
  else
    prefix=$(trimmed "${prefix:-/usr/local}")
    config=/etc/syrinx
    wants=/etc/systemd/system/multi-user.target.wants
    home=/var/lib/syrinx
    manager=(systemctl)
    journal=journalctl
    # systemd searches these two prefixes; elsewhere, units go to the folder of the administrator.
    case $prefix in
      /usr | /usr/local)
        units=$prefix/lib/systemd/system
        users=$prefix/lib/sysusers.d
        ;;
      *)
        units=/etc/systemd/system
        users=/etc/sysusers.d
        ;;
    esac
    # The folders of units of any prefix.
    all_units=(/etc/systemd/system {/usr/local,/usr}/lib/systemd/system)
  fi
  check_folder --prefix "$prefix"
  bin=$prefix/bin
  lib=$prefix/lib/syrinx
  share=$prefix/share/syrinx
  rack_page=$prefix/share/doc/syrinx/Rack.md
  # One line per entry: its kind, its checksum and its path.
  manifest=$lib/installed
}

# Succeeds if the systemd that would run the service is running.
is_managed() {
  [[ -z $DESTDIR ]] || return
  case $kind in
    system) [[ -d /run/systemd/system ]] ;;
    user) [[ -S ${XDG_RUNTIME_DIR-}/systemd/private ]] ;;
  esac
}

# Prints why the service was not started.
missing_manager() {
  if [[ -n $DESTDIR ]]; then
    echo "services under $DESTDIR are not started"
  elif [[ $kind == user ]]; then
    echo "no systemd user instance is running; the service starts with the next one"
  else
    echo "systemd is not running; the service starts at the next boot with systemd"
  fi
}

# A system service runs with these folders hidden, so its program must not be in one.
check_visibility() {
  [[ $kind == system ]] || return 0
  local folder=$prefix
  if [[ -z $DESTDIR ]]; then folder=$(readlink -m "$prefix"); fi
  [[ ! "$folder/" =~ ^/(home|root|run/user|tmp|var/tmp)/ ]] \
    || fail 64 "a system service has no access to ${BASH_REMATCH[0]%/}; use --prefix with another" \
      "folder, or --user"
}

# A system-wide installation needs root.
check_rights() {
  [[ $kind == user || -n $DESTDIR ]] || ((EUID == 0)) \
    || fail 77 "not root; use sudo, or --user for your account"
}

# --- Manifest

declare -A sum_of=() what_is=()
installed=()

# Reads the manifest; fails if there is none.
read_manifest() {
  local what sum path
  [[ -e $DESTDIR$manifest ]] || return 1
  while read -r what sum path; do
    installed+=("$path")
    what_is[$path]=$what
    sum_of[$path]=$sum
  done <"$DESTDIR$manifest"
}

sum() { sha256sum <"$1" | cut -d ' ' -f 1; }
