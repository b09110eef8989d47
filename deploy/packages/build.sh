#!/bin/sh
# Writes bin/tapedeck_VERSION_ARCH.deb of bin/tapedeck, which is built before.
#
#   build.sh [engine]      with engine it writes bin/tapedeck-engine_VERSION_ARCH.deb as well
#
# Two runs on the same commit write the same bytes.
set -eu
cd "$(dirname "$0")/../.."
VERSION=$(cat VERSION)
ARCH=$(go env GOARCH)
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export VERSION ARCH SOURCE_DATE_EPOCH

mkdir -p bin/package
cp bin/tapedeck bin/package/tapedeck
gzip -9 -n -c CHANGELOG.md >bin/package/changelog.gz
sed "s/@VERSION@/$VERSION/" deploy/packages/tapedeck.1 | gzip -9 -n -c >bin/package/tapedeck.1.gz

go build -C tools/nfpm -o ../../bin/package/nfpm .
bin/package/nfpm deploy/packages/nfpm.yaml "bin/tapedeck_${VERSION}_$ARCH.deb"
echo "bin/tapedeck_${VERSION}_$ARCH.deb"
if [ "${1:-}" = engine ]; then
	bin/package/nfpm deploy/packages/nfpm-engine.yaml "bin/tapedeck-engine_${VERSION}_$ARCH.deb"
	echo "bin/tapedeck-engine_${VERSION}_$ARCH.deb"
fi
