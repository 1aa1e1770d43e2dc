# Starting and stopping child processes, for scripts that run servers and clients.

# Succeeds while a child process runs. Queries the shell's own job table, because another program may
# have the process id by now.
is_running() { grep -qx "$1" <<<"$(jobs -rp)"; }

# Terminates child processes, the last one first; kills those that still run after five seconds.
stop() {
  local process i
  for ((i = $#; i > 0; i--)); do
    if is_running "${!i}"; then kill -TERM "${!i}" 2>/dev/null || true; fi
  done
  for process; do
    for ((i = 0; i < 50; i++)); do
      is_running "$process" || continue 2
      sleep 0.1
    done
    kill -KILL "$process" 2>/dev/null || true
  done
}
