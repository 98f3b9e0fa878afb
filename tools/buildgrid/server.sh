#!/usr/bin/env bash
# server.sh FOLDER [PORT]: BuildGrid, which hands out actions to workers, with its data in FOLDER. docs/remote.md, "Several workers".
set -euo pipefail

fail() {
    echo "server.sh: $*" >&2
    exit 1
}

(($# == 1 || $# == 2)) || fail "it takes a folder for its data and a port, and was given $# words."
if ! [[ ${2-8985} =~ ^[1-9][0-9]{0,4}$ ]] || ((${2-8985} >= 65536)); then
    fail "'$2' is no port between 1 and 65535."
fi
command -v bgd >/dev/null || fail "BuildGrid's program bgd is not on the PATH; install it as docs/remote.md says."
for programs in /usr/lib/postgresql/*/bin; do
    [[ -x $programs/postgres ]] || fail "PostgreSQL is not in /usr/lib/postgresql; run this in the sealed root, by ./bazelw --sealed-shell."
done

settings=$(readlink -f -- "${BASH_SOURCE[0]}")
settings=${settings%/*}/buildgrid.yml
export BUILDGRID_PORT=${2-8985}
# Others are not to enter it.
umask 077
mkdir -p -- "$1" 2>/dev/null || fail "the folder $1 cannot be made."
cd -- "$1"

# PostgreSQL refuses to run for root: in a namespace of its own everyone is somebody else. It ends with this process, however
# that ends; what it had promised is in its log of changes.
as_somebody=(bwrap --dev-bind / / --unshare-user --uid 65534 --gid 65534 --die-with-parent --)
if [[ ! -d database ]]; then
    rm -rf -- database.new
    "${as_somebody[@]}" "$programs/initdb" -D database.new -U buildgrid --auth=trust -E UTF8 --locale=C.UTF-8 >database.log 2>&1 ||
        fail "PostgreSQL could not make its files; its output is in $PWD/database.log."
    mv -- database.new database
fi
"${as_somebody[@]}" "$programs/postgres" -D database -k . -c listen_addresses= -c max_connections=200 >>database.log 2>&1 &
database=$!
until "$programs/pg_isready" -q -U buildgrid -h /proc/self/cwd/database; do
    kill -0 "$database" 2>/dev/null || fail "PostgreSQL has ended; its output is in $PWD/database.log."
    sleep 0.1
done
bgd migrate apply "$(sed -n 's/^ *connection-string: //p' "$settings")" >migrate.log 2>&1 ||
    fail "BuildGrid could not make its tables; its output is in $PWD/migrate.log."
exec bgd server start "$settings"
