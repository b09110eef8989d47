#!/bin/sh
# Measures which statements of the product all tests cover together, long ones included, and the
# programs that they start. Prints a line for each package and the total.
#
#   coverage.sh [PACKAGE…]    default: all packages
#
# It compiles all tests again, and takes several times as long as 'make test'. Tests that fail are
# listed; what they covered until then counts.
set -eu
cd "$(dirname "$0")/../.."
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
trap 'exit 130' INT TERM
mkdir "$home/data"
product=$(go list ./cmd/... ./dashboards ./ingest/... ./internal/... ./query/... ./replay/... ./schema/... | grep -vE 'test$|/dialecttest/|/localtest' | paste -sd,)
go build -cover -coverpkg="$product" -o "$home/tapedeck" ./cmd/tapedeck
[ $# -gt 0 ] || set -- ./...
GOCOVERDIR="$home/data" TAPEDECK_TEST_LONG=1 TAPEDECK_TEST_PROGRAM="$home/tapedeck" \
	go test -vet=off -ldflags=-w -timeout 60m -cover -coverpkg="$product" "$@" -args -test.gocoverdir="$home/data" >"$home/log" 2>&1 ||
	grep -E '^(FAIL|--- FAIL|panic:)' "$home/log" || true
go tool covdata percent -i="$home/data"
go tool covdata textfmt -i="$home/data" -o "$home/profile"
# A block counts once, covered if any binary covered it.
awk -F'[ ,]' 'NR > 1 { n[$1 "," $2] = $3; if ($4 > 0) hit[$1 "," $2] = 1 }
	END { for (b in n) { all += n[b]; if (b in hit) got += n[b] } printf "total: %d of %d statements, %.1f %%\n", got, all, 100 * got / all }' "$home/profile"
