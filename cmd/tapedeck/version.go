package main

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"

	"tapedeck"
)

// version is the version in the file VERSION, with the commit of the build.
var version = tapedeck.Version()

type versionCommand struct{}

// Run prints the version.
func (versionCommand) Run(g *global) error {
	if g.JSON {
		return json.NewEncoder(os.Stdout).Encode(map[string]string{
			"version": version, "go": runtime.Version(), "platform": runtime.GOOS + "/" + runtime.GOARCH,
		})
	}
	fmt.Printf("tapedeck %s (%s, %s/%s)\n", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return nil
}
