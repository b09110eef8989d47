// Package tapedeck holds the version of the program. The program itself is in
// cmd/tapedeck.
package tapedeck

import (
	_ "embed"
	"runtime/debug"
	"strings"
)

//go:embed VERSION
var file string

// commit is set by make, with .dirty after it for changed files.
var commit string

// Version returns the version in the file VERSION and, where the build knows it, the
// commit it was built from: 0.1.0+1f2e3d4c5b6a, with .dirty appended for changed files.
func Version() string {
	version := strings.TrimSpace(file)
	revision, modified := strings.CutSuffix(commit, ".dirty")
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				revision = s.Value
			case "vcs.modified":
				modified = s.Value == "true"
			}
		}
	}
	return withCommit(version, revision, modified)
}

func withCommit(version, commit string, modified bool) string {
	if commit == "" {
		return version
	}
	version += "+" + commit[:min(len(commit), 12)]
	if modified {
		version += ".dirty"
	}
	return version
}
