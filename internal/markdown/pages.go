package markdown

import (
	"io/fs"
	"path/filepath"
	"testing"
)

// Pages lists the pages below a folder, with slashes, without the pages of installed packages.
func Pages(t testing.TB, folder string) []string {
	t.Helper()
	var pages []string
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == "node_modules" {
			return fs.SkipDir
		}
		if err == nil && filepath.Ext(path) == ".md" {
			pages = append(pages, filepath.ToSlash(path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return pages
}
