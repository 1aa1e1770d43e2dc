# How what runs as a service speaks: to the journal, and to systemd.
say() { echo "$*" >&2; }

tell() { [[ -z ${NOTIFY_SOCKET-} ]] || systemd-notify "$@" || true; }

# A moment, without a process for it: nothing is ever written there.
exec {nothing}<> <(:)
rest() { read -rt "$1" -u "$nothing" || true; }
