#!/bin/sh
# Installs the ClickHouse library for this machine.
#
#   install.sh [DEST]      DEST defaults to <repository>/bin/engine
#
# Afterwards DEST/node_modules/@chdb/lib-<os>-<cpu>[-gnu]/libchdb.so exists.
# Does nothing when the right version is already there. Needs npm.
#
# On linux-x64 the version and its hash come from package-lock.json. The lock
# file cannot name packages of other platforms (npm ci refuses a lock file with
# packages it could not resolve), so elsewhere the exact version is named here
# and npm checks it against the registry's own hash.
set -eu

version=26.7.3-stable.1
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
dest=${1:-$here/../../../bin/engine}

fail() {
	echo "install.sh: $*" >&2
	exit 1
}

case $(uname -s) in
Linux) os=linux suffix=-gnu ;;
Darwin) os=darwin suffix= ;;
*) fail "there is no ClickHouse library for $(uname -s); put a clickhouse binary (26.2 or newer) on PATH instead" ;;
esac
case $(uname -m) in
x86_64 | amd64) cpu=x64 ;;
aarch64 | arm64) cpu=arm64 ;;
*) fail "there is no ClickHouse library for $(uname -m); put a clickhouse binary (26.2 or newer) on PATH instead" ;;
esac
name=@chdb/lib-$os-$cpu$suffix
package=$dest/node_modules/$name

# The stamp is written last: an install that was cut short has none.
stamp=$dest/installed
if [ -s "$package/libchdb.so" ] && [ "$(cat "$stamp" 2>/dev/null)" = "$name $version" ]; then
	exit 0
fi

command -v npm >/dev/null 2>&1 || fail "npm is missing; install Node.js 20.19 or newer, or put a clickhouse binary (26.2 or newer) on PATH"

mkdir -p "$dest"
dest=$(cd -- "$dest" && pwd)
rm -f "$stamp"
echo "installing $name $version into $dest (about 570 MB)"
if [ "$dest" != "$here" ]; then
	cp "$here/.npmrc" "$dest/.npmrc"
fi
if [ "$os-$cpu" = linux-x64 ]; then
	if [ "$dest" != "$here" ]; then
		cp "$here/package.json" "$here/package-lock.json" "$dest/"
	fi
	npm ci --prefix "$dest" --no-audit --no-fund --loglevel=error
else
	npm install --prefix "$dest" --no-save --no-package-lock --no-audit --no-fund --loglevel=error "$name@$version"
fi
[ -s "$package/libchdb.so" ] || fail "npm finished, but $package/libchdb.so is not there; remove $dest and run this again"
printf '%s\n' "$name $version" >"$stamp"
