#!/bin/sh
# Writes bin/tapedeck_VERSION_ARCH.deb of bin/tapedeck, which is built before.
#
#   build.sh [engine]      with engine it writes bin/tapedeck-engine_VERSION_ARCH.deb as well
#
# Two runs on the same commit write the same bytes. The version of a package is that of the file
# VERSION with the time and hash of the commit, so that package managers order builds.
set -eu
cd "$(dirname "$0")/../.."
VERSION=$(cat VERSION)+git$(TZ=UTC0 git log -1 --format=%cd --date=format-local:%Y%m%d%H%M%S).$(git rev-parse --short=8 HEAD)
ARCH=$(go env GOARCH)
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export VERSION ARCH SOURCE_DATE_EPOCH

mkdir -p bin/package
cp bin/tapedeck bin/package/tapedeck
gzip -9 -n -c CHANGELOG.md >bin/package/changelog.gz
bin/package/tapedeck man | gzip -9 -n -c >bin/package/tapedeck.1.gz
for shell in bash fish; do
	bin/package/tapedeck completion --program /usr/bin/tapedeck $shell >bin/package/completion.$shell
done
{
	echo "#compdef tapedeck"
	bin/package/tapedeck completion --program /usr/bin/tapedeck zsh
} >bin/package/completion.zsh

go build -C tools/nfpm -o ../../bin/package/nfpm .
# An interrupted run leaves no package that is not whole.
package() {
	bin/package/nfpm "deploy/packages/$1" "bin/package/new.deb"
	mv bin/package/new.deb "bin/$2_${VERSION}_$ARCH.deb"
	echo "bin/$2_${VERSION}_$ARCH.deb"
}
package nfpm.yaml tapedeck
if [ "${1:-}" = engine ]; then
	package nfpm-engine.yaml tapedeck-engine
fi
