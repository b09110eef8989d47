#!/bin/sh
# Installs bin/tapedeck and bin/engine into PREFIX/lib/tapedeck, with a link in PREFIX/bin.
#
#   install.sh PREFIX
set -eu
cd "$(dirname "$0")/../.."
prefix=$1
mkdir -p "$prefix/bin" "$prefix/lib"
# A running program keeps its files, since they are replaced and not written to.
rm -rf "$prefix/lib/tapedeck.new"
mkdir "$prefix/lib/tapedeck.new"
cp bin/tapedeck "$prefix/lib/tapedeck.new/"
cp -RP bin/engine "$prefix/lib/tapedeck.new/"
rm -rf "$prefix/lib/tapedeck"
mv "$prefix/lib/tapedeck.new" "$prefix/lib/tapedeck"
ln -sf ../lib/tapedeck/tapedeck "$prefix/bin/tapedeck"
echo "installed $prefix/bin/tapedeck"
case ":$PATH:" in
*":$prefix/bin:"*) ;;
*) echo "add it to the path of your shell: export PATH=\"$prefix/bin:\$PATH\"" ;;
esac
