# Where scripts/install puts things, and scripts/uninstall finds them; both have speech.bash, too.

# --- What both are told

prefix=''
# system or user
kind=system
# Where a system is put together that does not run; empty for the one that does.
DESTDIR=${DESTDIR-}

# Takes an option that both have; fails if it is none of those. Sets `taken` to its words.
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

# A path without slashes at its end.
trimmed() {
  local path=$1
  while [[ $path == */ ]]; do path=${path%/}; done
  echo "$path"
}

# A folder that can stand in a unit as it is.
check_folder() {
  [[ $2 =~ ^(/[A-Za-z0-9._+@-]+)+$ && $2/ != */../* ]] \
    || fail 64 "$1 must be a whole path of letters, digits and . _ + @ - for systemd; it is \"$2\""
}

# --- Where

# What is the user's and what is the system's, from `kind` and `prefix`.
set_places() {
  if [[ -n $DESTDIR ]]; then DESTDIR=$(readlink -m "$DESTDIR"); fi
  if [[ $DESTDIR == / ]]; then DESTDIR=; fi
  if [[ $kind == user ]]; then
    [[ -n $DESTDIR || ${SUDO_USER:-root} == root ]] || ((EUID != 0)) \
      || fail 64 "--user is for who calls this, and under sudo that is root; call it without"
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
    check_folder "the home folder" "$home"
    manager=(systemctl --user)
    journal="journalctl --user"
  else
    prefix=$(trimmed "${prefix:-/usr/local}")
    config=/etc/syrinx
    wants=/etc/systemd/system/multi-user.target.wants
    home=/var/lib/syrinx
    manager=(systemctl)
    journal=journalctl
    # systemd looks for what is installed in these two; elsewhere, it is the administrator's.
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
    # Where a unit of another prefix would be.
    all_units=(/etc/systemd/system {/usr/local,/usr}/lib/systemd/system)
  fi
  check_folder --prefix "$prefix"
  bin=$prefix/bin
  lib=$prefix/lib/syrinx
  share=$prefix/share/syrinx
  doc=$prefix/share/doc/syrinx
  # A line each: what it is, the sum of what was in it, and where.
  manifest=$lib/installed
}

# Whether the systemd is there that would run it.
is_managed() {
  [[ -z $DESTDIR ]] || return
  case $kind in
    system) [[ -d /run/systemd/system ]] ;;
    user) [[ -S ${XDG_RUNTIME_DIR-}/systemd/private ]] ;;
  esac
}

# The same, with what to say where it is not.
missing_manager() {
  if [[ -n $DESTDIR ]]; then
    echo "nothing is started from $DESTDIR"
  elif [[ $kind == user ]]; then
    echo "no systemd of yours runs here: it starts when one does"
  else
    echo "systemd does not run here: it starts with the next boot under it"
  fi
}

# The service of the machine must find its program, although it does not see these folders.
check_visibility() {
  [[ $kind == system ]] || return 0
  local folder=$prefix
  if [[ -z $DESTDIR ]]; then folder=$(readlink -m "$prefix"); fi
  [[ ! "$folder/" =~ ^/(home|root|run/user|tmp|var/tmp)/ ]] \
    || fail 64 "a service of the machine does not see ${BASH_REMATCH[0]%/}: --prefix takes another" \
      "folder, or --user is meant"
}

# Changing the system takes root; a folder of one's own does not.
check_rights() {
  [[ $kind == user || -n $DESTDIR ]] || ((EUID == 0)) \
    || fail 77 "not root; use sudo, or --user for yourself alone"
}

# --- What was installed

declare -A sum_of=() what_is=()
installed=()

# Reads the manifest, where there is one.
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
