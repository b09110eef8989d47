#!/bin/sh
# Finds a Chromium for the browser tests, and installs Debian's when there is
# none and it can.
#
#   install.sh             prints the path of the browser, alone on its line
#   install.sh --find      only looks; installs nothing
#
# Exits with 1 and says why on standard error when there is no browser. The
# variable CHROMIUM names one that stands elsewhere. Several may run at a time.
set -eu

fail() {
	echo "install.sh: $*" >&2
	exit 1
}

if [ -n "${CHROMIUM:-}" ]; then
	[ -x "$CHROMIUM" ] || fail "CHROMIUM is $CHROMIUM, and no program is there"
	echo "$CHROMIUM"
	exit 0
fi

found() {
	for name in chromium chromium-browser google-chrome-stable google-chrome; do
		if command -v "$name"; then
			return
		fi
	done
	mac="/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"
	if [ -x "$mac" ]; then
		echo "$mac"
		return
	fi
	return 1
}

if found; then
	exit 0
fi
[ "${1:-}" != --find ] || fail "there is no Chromium; run internal/local/chromium/install.sh, or name one in CHROMIUM"
command -v apt-get >/dev/null 2>&1 || fail "there is no Chromium and no apt-get to install it; name a browser in CHROMIUM"

root=
if [ "$(id -u)" -ne 0 ]; then
	sudo -n true 2>/dev/null || fail "there is no Chromium, and only root can install it: apt-get install chromium"
	root="sudo -n"
fi

# apt's own lock is waited for: another run may be installing the same package.
apt() {
	$root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 "$@" >&2
}
apt install --no-install-recommends chromium || {
	# The list of packages is missing or out of date. Two updates at a time fail
	# on the list's lock, which apt does not wait for.
	for try in 1 2 3 4 5 6; do
		if apt update; then
			break
		fi
		sleep 5
	done
	apt install --no-install-recommends chromium || fail "apt-get could not install chromium"
}
found || fail "chromium was installed, and there is no such program on PATH"
