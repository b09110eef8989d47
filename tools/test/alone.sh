#!/bin/sh
# Tests a clone that has no captured streams beside it: the packages that read captures run in
# a clone in a temporary directory. They must pass; what they skip is listed at the end.
#
#   alone.sh [PACKAGE…]    default: all packages whose tests read captures
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
trap 'exit 130' INT TERM
git clone -q --shared "$root" "$home/tapedeck"
mkdir "$home/tapedeck/bin"
ln -s "$root/bin/engine" "$home/tapedeck/bin/engine"
cd "$home/tapedeck"
if [ $# -eq 0 ]; then
	set -- $(git grep -lE 'shared/fixtures|"shared", "fixtures"|ingest/capturetest"|dialecttest\.Fixture' -- '*.go' | xargs -n1 dirname | sort -u | sed 's|^|./|')
fi
TAPEDECK_TEST_FULL= TAPEDECK_TEST_PROGRAM="$root/bin/tapedeck" \
	go tool gotestsum --format pkgname -- -vet=off -ldflags=-w -timeout 20m "$@"
