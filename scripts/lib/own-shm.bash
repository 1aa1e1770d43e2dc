# A /dev/shm per run. JACK keeps the names of its servers there, eight per machine, including those of
# crashed servers.

# own_shm SCRIPT ARGUMENTS...: runs the script again with a private /dev/shm. Returns if mounting is not
# permitted, and in the run that has one.
own_shm() {
  [[ -z ${SYRINX_OWN_SHM-} ]] && unshare --mount mount -t tmpfs tmpfs /dev/shm 2>/dev/null || return 0
  SYRINX_OWN_SHM=1 exec unshare --mount bash -c \
    'mount -t tmpfs tmpfs /dev/shm && exec "$@"' "$(basename "$1")" "$@"
}
