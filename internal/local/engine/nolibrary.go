//go:build nolibrary

package engine

import (
	"fmt"
	"os"
)

// noTerminal is printed by the child if it runs without a pseudo-terminal.
const noTerminal = "no pseudo-terminal"

// runLibrary prints an error: a program with the build tag nolibrary is linked statically and
// cannot load a library. It needs no C library, and works on systems without one.
func runLibrary(childArgs, <-chan struct{}) int {
	fmt.Fprintln(os.Stderr, "this tapedeck is built without the ability to load ClickHouse's library: use one "+
		"that is not linked statically, or put a clickhouse binary ("+Oldest+" or newer) on PATH")
	return exitLoad
}
