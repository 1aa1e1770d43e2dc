# scripts/bench board
#
# Posts 10,000 clips of 100 kB from 64 clients to two feed servers on one PostgreSQL, and to one on
# SQLite, compared with pgbench running the same insert; checks that no post is lost or duplicated; and
# measures pages of 100,000 posts. Takes three minutes, and 5 GB of disk space meanwhile.

# PostgreSQL does not run as root.
as_postgres=()
if ((EUID == 0)); then as_postgres=(setpriv --reuid postgres --regid postgres --clear-groups --); fi


start_postgres() {
  local bin
  bin=$(printf '%s\n' /usr/lib/postgresql/*/bin | sort -V | tail -n 1)
  PATH+=:$bin
  database=$work/postgres
  mkdir "$database"
  chmod 711 "$work"
  if ((EUID == 0)); then chown postgres: "$database"; fi
  quietly "${as_postgres[@]}" initdb -D "$database/data" -A trust -U postgres \
    || fail 70 "initdb failed; see its output above"
  start_client postgres "${as_postgres[@]}" postgres -D "$database/data" -k "$database" \
    -c listen_addresses= -c max_wal_size=4GB
  for _ in {1..100}; do
    ! pg_isready -q -h "$database" || return 0
    sleep 0.1
  done
  fail 69 "PostgreSQL does not start: $(tail -n 1 "$work/postgres.log")"
}

# make_database NAME: creates a database, and sets `url` to its URL.
make_database() {
  createdb -h "$database" -U postgres "$1"
  url="postgresql:///$1?host=$database&user=postgres"
}

# start_board NAME DATABASE: starts a feed server, and sets `port` to its port.
start_board() {
  start_client "$1" env TMPDIR="$work" "$node" board --database "$2" --port 0 --rate 0
  for _ in {1..100}; do
    port=$(sed -n 's|^ready board=http://[^ ]*:\([0-9]*\)/.*|\1|p' "$work/$1.log")
    [[ -z $port ]] || return 0
    sleep 0.1
  done
  fail 70 "$1 does not become ready: $(tail -n 1 "$work/$1.log")"
}

# Runs a measurement, and sets `figures` to its output.
take_figures() {
  attend "$tools/board" "$@" >"$work/figures"
  read -ra figures <"$work/figures"
}

# Sets `figures` to pgbench's rate and latencies for the insert of a post, whose bytes the server generates.
measure_pgbench() {
  rm -f "$work"/pgbench.[0-9]*
  sed -n '/static let post = /,/""")/p' "$root/Sources/Feed/Board/Store/Postgres/PostgresSQL.swift" \
    | sed -e '1,/"""/d' -e '/"""/d' \
      -e 's/\\(columns)/number, id, name, message, time, zone, kind, seconds, bytes/' \
      -e 's/\$1::uuid/gen_random_uuid()/g' -e 's/\$2/'"'client'"'/' -e 's/\$3/'"'post'"'/' \
      -e 's/\$4::/1760000000000000::/' -e 's/\$5::/0::/' -e 's/\$6/'"'wav'"'/' \
      -e 's/\$7::/1::/' -e 's/\$8::/100000::/' \
      -e "s/\\\$9::bytea/decode(repeat('ab', 32), 'hex')/" \
      -e "s/\\\$10::bytea IS NOT NULL/true/" \
      -e "s/\\\$10::bytea/decode(repeat('ab', 100000), 'hex')/" >"$work/insert.sql"
  attend pgbench -n -M prepared -c 64 -j 2 -t 157 -f "$work/insert.sql" -l \
    --log-prefix "$work/pgbench" "$url" >"$work/pgbench.txt" 2>"$work/pgbench.err" \
    || fail 70 "pgbench failed: $(tail -n 1 "$work/pgbench.err")"
  local rate
  rate=$(sed -n 's/^tps = \([0-9.]*\).*/\1/p' "$work/pgbench.txt")
  figures=("$rate" $(cut -d ' ' -f 3 "$work"/pgbench.[0-9]* | sort -n \
    | awk '{ all[NR] = $1 } END { print all[int(NR * 0.5)] / 1000, all[int(NR * 0.99)] / 1000 }'))
}

# Inserts 100,000 posts into PostgreSQL and SQLite directly, because requests would take minutes.
fill_with_posts() {
  quietly psql -X -q -v ON_ERROR_STOP=1 -c "
    INSERT INTO syrinx_board.posts (number, id, name, message, time, zone, secret)
    SELECT n, gen_random_uuid(), 'client ' || n % 64, 'post ' || n, 1760000000000000 + n, 0, ''
    FROM generate_series(1, 100000) AS n;
    SELECT setval('syrinx_board.numbers', 100000); ANALYZE syrinx_board.posts" "$1" \
    || fail 70 "PostgreSQL rejected the posts"
  quietly python3 -c "
import sqlite3, sys, uuid
posts = sqlite3.connect(sys.argv[1])
posts.executemany(
    'INSERT INTO posts (number, id, name, message, time, zone, secret) VALUES (?, ?, ?, ?, ?, 0, x\'\')',
    ((n, str(uuid.uuid4()), f'client {n % 64}', f'post {n}', 1760000000000000 + n)
     for n in range(1, 100001)))
posts.commit()" "$2" || fail 70 "SQLite rejected the posts"
}

row() { "$tools/board" row "$@"; }

measure_board() {
  local peer both file ports=() url peer_url
  start_postgres
  make_database peer
  start_board first "$url"
  stop "$started"
  peer_url=$url
  # The first run creates the WAL files, which later runs reuse.
  say "10,000 posts by pgbench, as a warm-up"
  measure_pgbench
  say "10,000 posts to two feed servers on one PostgreSQL"
  make_database band
  start_board second "$url"
  ports=("$port")
  start_board third "$url"
  ports+=("$port")
  take_figures post 64 10000 100000 "${ports[@]}"
  both=("${figures[@]}")
  say "10,000 posts by pgbench"
  url=$peer_url measure_pgbench
  peer=("${figures[@]}")
  say "10,000 posts to a feed server on SQLite"
  start_board fourth "$work/board.sqlite"
  take_figures post 64 10000 100000 "$port"
  file=("${figures[@]}")
  row "posts of 100 kB a second, 2 on PostgreSQL" /s "${both[0]}" pgbench "${peer[0]}"
  row "posts of 100 kB a second, SQLite" /s "${file[0]}" pgbench "${peer[0]}"
  row "a post, median of 64 clients, PostgreSQL" ms "${both[1]}" pgbench "${peer[1]}"
  row "a post, 99th percentile, PostgreSQL" ms "${both[2]}" pgbench "${peer[2]}"
  row "a post, median of 64 clients, SQLite" ms "${file[1]}" pgbench "${peer[1]}"
  row "a post, 99th percentile, SQLite" ms "${file[2]}" pgbench "${peer[2]}"

  say "pages of 100,000 posts"
  make_database pages
  start_board fifth "$url"
  ports=("$port")
  start_board sixth "$work/pages.sqlite"
  ports+=("$port")
  fill_with_posts "$url" "$work/pages.sqlite"
  take_figures pages 100000 1000 "${ports[0]}"
  both=("${figures[@]}")
  take_figures pages 100000 1000 "${ports[1]}"
  file=("${figures[@]}")
  row "page of 50 of 100,000, median, PostgreSQL" ms "${both[0]}" SQLite "${file[0]}" most 20
  row "page of 50 of 100,000, 99th percentile" ms "${both[1]}" SQLite "${file[1]}" most 20
  row "page of 50 of 100,000, 99th perc., SQLite" ms "${file[1]}" PostgreSQL "${both[1]}" most 20
  echo "no post is lost or duplicated; pgbench's server generates the bytes, so pgbench sends none"
}

measure() {
  command -v python3 >/dev/null || needed+=(python3)
  [[ -e $(compgen -G '/usr/lib/postgresql/*/bin/pgbench' | head -n 1) ]] || needed+=(postgresql)
  prepare
  echo "feed servers under load, with the database on disk; $machine"
  echo
  printf '%-42s%12s%12s  %-15s %6s  %s\n' '' board peer '' ratio goal
  measure_board
}
