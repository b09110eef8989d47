#!/bin/sh
# Runs the long tests, one part after the other, in a random order.
#
#   long.sh            all parts
#   long.sh MINUTES    the parts that fit in this time
#   long.sh KIND WHAT  one part
#
# KINDS names the kinds of parts to run; default "long pages race fuzz shards".
#
# Parts: each package with long tests (fulltest.Long), all tests in it; shares of the browser's
# long tests (tagged @long); shares of all packages under the race detector; shares of all fuzz
# tests; and each package of the file sharded on two shards of ClickHouse, without its long tests,
# which `make test-shards` runs there. The last lines say which parts passed, failed, were stopped by
# the end of the time, or did not run. The exit code is 1 if a part failed.
#
# Under the race detector everything takes several times as long. There a race, a panic or a
# failed build fails the part; a test that only failed is listed, and decides nothing: it has
# to pass without the detector.
#
# An input that a fuzz test finds does not fail a run of MINUTES: which inputs are tried is chance,
# and another run of the same commit passes. The log has the input, to be mended and added as a seed.
set -eu
cd "$(dirname "$0")/../.."

part() { # part KIND WHAT: runs one part
	case $1 in
	long)
		TAPEDECK_TEST_LONG=1 go test -vet=off -ldflags=-w -count=1 -timeout 60m "./$2"
		;;
	pages)
		TAPEDECK_TEST_LONG=1 npm --prefix dashboards/web run e2e -- --grep @long --shard "$2"
		;;
	race) # the tests below tools and deploy start programs, which are built without the detector
		go list ./... | grep -vE '^tapedeck/(tools|deploy)/' |
			awk -v share="$2" 'BEGIN { split(share, s, "/") } NR % s[2] == s[1] % s[2]' |
			CGO_ENABLED=1 xargs go test -race -vet=off -ldflags=-w -timeout 60m
		;;
	fuzz)
		make --no-print-directory fuzz FUZZTIME=3s FUZZSHARD="$2"
		;;
	shards)
		TAPEDECK_TEST_SHARDS=2 go test -vet=off -ldflags=-w -count=1 -timeout 60m "$2"
		;;
	*)
		echo "long.sh: $1 is not one of long, pages, race, fuzz, shards" >&2
		return 2
		;;
	esac
}
if [ $# -eq 2 ]; then
	part "$1" "$2"
	exit
fi

end=
[ $# -eq 0 ] || end=$(($(date +%s) + $1 * 60))
log=$(mktemp)
trap 'rm -f "$log" "$log.order"' EXIT
trap 'exit 130' INT TERM

shares() { # shares KIND N: the N shares of a kind
	for i in $(seq "$2"); do echo "$1 $i/$2"; done
}

parts() {
	git grep -l 'fulltest\.Long(' -- '*_test.go' | xargs -n1 dirname | sort -u | sed 's/^/long /'
	sed 's/^/shards /' tools/test/sharded
	shares race 24
	shares fuzz 12
	shares pages 4
}

left() { # the seconds that are left
	[ -z "$end" ] && echo 36000 && return
	echo $((end - $(date +%s)))
}

result=0 summary=
parts | grep -E "^($(echo "${KINDS:-long pages race fuzz shards}" | tr " " "|")) " | shuf >"$log.order"
echo "order: $(paste -sd, "$log.order")"
while read -r kind what <&3; do
	if [ "$(left)" -lt 60 ]; then
		summary="$summary
not run: $kind $what"
		continue
	fi
	began=$(date +%s)
	status=0 # timeout runs the part in a process group of its own, and ends all of it
	timeout -k 30 "$(left)" sh tools/test/long.sh "$kind" "$what" >"$log" 2>&1 </dev/null || status=$?
	took=$(($(date +%s) - began))
	case $status in
	0) said=passed ;;
	124 | 137) said="stopped:" ;;
	*)
		said=FAILED
		if [ "$kind" = race ] && ! grep -qE 'WARNING: DATA RACE|^panic:|\[build failed\]|\[setup failed\]' "$log"; then
			said="no race, but tests failed: $(grep -E '^ *--- FAIL' "$log" | awk '{print $3}' | paste -sd' ');"
		fi
		;;
	esac
	if [ "$kind $said" = "fuzz FAILED" ] && [ -n "$end" ] && grep -q 'Failing input written to' "$log"; then
		said="an input to mend was found ($(grep -E '^ *--- FAIL: Fuzz' "$log" | awk '{print $3}' | sort -u | paste -sd' ' | cut -d/ -f1)):"
		cat "$log"
	fi
	if [ "$said" = FAILED ]; then
		result=1
		echo "=== $kind $what failed:"
		cat "$log"
	fi
	summary="$summary
$said $kind $what ($took s)"
	echo "$said $kind $what ($took s)"
done 3<"$log.order"
echo
echo "long tests:$summary"
exit $result
