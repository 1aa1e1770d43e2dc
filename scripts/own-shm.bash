# JACK keeps the names of its servers in /dev/shm, eight a machine, those of crashed ones too.

# own_shm SCRIPT ARGUMENTS...: where that is allowed, runs the script anew with a /dev/shm apart from
# all others; else goes on.
own_shm() {
  [[ -z ${SYRINX_OWN_SHM-} ]] && unshare --mount mount -t tmpfs tmpfs /dev/shm 2>/dev/null || return 0
  SYRINX_OWN_SHM=1 exec unshare --mount bash -c \
    'mount -t tmpfs tmpfs /dev/shm && exec "$@"' "$(basename "$1")" "$@"
}
