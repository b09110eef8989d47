package dashboards

import (
	"embed"
	"io/fs"
)

// built is empty but for .gitkeep in a program that was built without its UI.
//
//go:embed all:web/dist
var built embed.FS

// files is the built page and what it loads.
func files() fs.FS {
	dist, err := fs.Sub(built, "web/dist")
	if err != nil {
		panic(err) // the path is a valid one
	}
	return dist
}
