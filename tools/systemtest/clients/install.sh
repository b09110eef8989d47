#!/bin/sh
# Installs the clients of package.json beside this script, as package-lock.json
# names them. Does nothing when they are there already. Needs Node.js 20 and npm.
set -eu

here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)

fail() {
	echo "install.sh: $*" >&2
	exit 1
}

# The stamp is written last: an install that was cut short has none.
stamp=$here/node_modules/.installed
want=$(cksum <"$here/package-lock.json")
if [ "$(cat "$stamp" 2>/dev/null)" = "$want" ]; then
	exit 0
fi

command -v npm >/dev/null 2>&1 || fail "npm is missing; install Node.js 20"
major=$(node -p 'process.versions.node.split(".")[0]') || fail "node is missing; install Node.js 20"
[ "$major" -ge 20 ] || fail "Node.js $major is too old; install Node.js 20"
echo "installing the clients of tools/systemtest/clients (about 80 MB)"
npm ci --prefix "$here" --ignore-scripts --no-audit --no-fund --loglevel=error
printf '%s\n' "$want" >"$stamp"
