// Package enginetest sets the ClickHouse library of a clone for test binaries and for the programs
// that they start. The program itself never searches the working directory for native code, so only
// tests import this package.
package enginetest

import (
	"os"
	"path/filepath"
)

// libraryEnv equals engine.LibraryEnv. The tests of package engine use this package, so it cannot
// import engine.
const libraryEnv = "TAPEDECK_LIBCHDB"

// Use sets TAPEDECK_LIBCHDB to the library that `make engine` installed below the module of the
// working directory, so that engine.Find returns it in this process and in its child processes. It
// changes nothing if the variable is set, or if the module has no library. TestMain must call it
// after engine.RunIfChild.
func Use() {
	if os.Getenv(libraryEnv) != "" {
		return
	}
	root, ok := moduleRoot()
	if !ok {
		return
	}
	// install.sh installs the library of one platform.
	found, err := filepath.Glob(filepath.Join(root, "bin", "engine", "node_modules", "@chdb", "lib-*", "libchdb.so"))
	if err != nil || len(found) != 1 {
		return
	}
	if err := os.Setenv(libraryEnv, found[0]); err != nil {
		panic(err) // the name is valid, and the path has no zero byte
	}
}

// moduleRoot walks up from the working directory to the directory that holds go.mod.
func moduleRoot() (string, bool) {
	dir, err := os.Getwd()
	if err != nil {
		return "", false
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, true
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", false
		}
		dir = up
	}
}
