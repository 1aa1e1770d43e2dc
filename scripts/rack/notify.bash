# Messages of the services, to the journal and to systemd; with the name of the script that started one.
say() { echo "${SPEAKER:+$SPEAKER: }$*" >&2; }

tell() { [[ -z ${NOTIFY_SOCKET-} ]] || systemd-notify "$@" || true; }

# Sleeps without a process: nothing is ever written to this pipe. Its creator is awaited here, because systemd
# would wait for it if this script ended at once.
exec {nothing}<> <(:)
wait "$!"
rest() { read -rt "$1" -u "$nothing" || true; }
