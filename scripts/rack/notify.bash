# How what runs as a service speaks: to the journal, and to systemd.
say() { echo "$*" >&2; }

tell() { [[ -z ${NOTIFY_SOCKET-} ]] || systemd-notify "$@" || true; }

# A moment, without a process for it: nothing is ever written there. What has made it is gone before
# anything else: systemd would wait for it where this script ends at once.
exec {nothing}<> <(:)
wait "$!"
rest() { read -rt "$1" -u "$nothing" || true; }
