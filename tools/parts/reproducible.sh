#!/bin/sh
# Builds the source again, in another directory, at another time and in another time zone, and
# compares program and pages with those of 'make build'. FRESH=1 compiles all of Go again.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
cd "$root"
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
trap 'exit 130' INT TERM
other=$home/a/directory/of/another/length
mkdir -p "$other"
git ls-files -z --cached --others --exclude-standard | tar --null -T - -cf - | tar -C "$other" -m -xf -
cp -al dashboards/web/node_modules "$other/dashboards/web/node_modules" 2>/dev/null || cp -a dashboards/web/node_modules "$other/dashboards/web/node_modules"
if [ "${FRESH:-}" = 1 ]; then
	GOCACHE=$home/cache
	export GOCACHE
fi
TZ=Pacific/Chatham LC_ALL=C make -C "$other" COMMIT="$1" program >"$home/log" 2>&1 || { cat "$home/log"; exit 1; }

sums() { (cd "$1" && find bin/tapedeck dashboards/web/dist -type f ! -name .gitkeep | LC_ALL=C sort | xargs sha256sum); }
sums "$root" >"$home/first"
sums "$other" >"$home/second"
if ! diff "$home/first" "$home/second"; then
	echo "two builds of the same source differ: see the lines above" >&2
	exit 1
fi
grep ' bin/tapedeck$' "$home/first"
echo "$(($(wc -l <"$home/first"))) files are the same in two builds"
