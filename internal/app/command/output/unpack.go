package output

import (
	"archive/zip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Receive writes an archive to the file to, or to a temporary file unless to ends in .zip. It
// removes an incomplete file.
func Receive(body io.Reader, to string, force bool) (path string, err error) {
	var f *File
	if strings.HasSuffix(to, ".zip") {
		f, err = Create(to, force)
	} else {
		f, to, err = createTemp("tapedeck-focus-*.zip")
	}
	if err != nil {
		return "", err
	}
	if _, err = io.Copy(f, body); err != nil {
		err = fmt.Errorf("read the export: %w", err)
	}
	return to, f.Finish(err)
}

// createTemp opens a temporary file for output.
func createTemp(pattern string) (f *File, path string, err error) {
	file, err := os.CreateTemp("", pattern)
	if err != nil {
		return nil, "", err
	}
	f = newFile(file)
	f.regular = true
	return f, file.Name(), nil
}

// Unpack writes the files of an archive to a directory and returns their names.
func Unpack(archive, dir string, force bool) (names []string, err error) {
	z, err := zip.OpenReader(archive)
	if err != nil {
		return nil, err
	}
	defer z.Close()
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	for _, entry := range z.File {
		if entry.Name != filepath.Base(entry.Name) {
			return nil, fmt.Errorf("the server named a file %q", entry.Name)
		}
		if _, err := os.Lstat(filepath.Join(dir, entry.Name)); err == nil && !force {
			return nil, existsError(entry.Name)
		}
		names = append(names, entry.Name)
	}
	for _, entry := range z.File {
		if err := copyEntry(entry, filepath.Join(dir, entry.Name)); err != nil {
			return nil, err
		}
	}
	return names, nil
}

// copyEntry writes a file of an archive.
func copyEntry(entry *zip.File, to string) error {
	r, err := entry.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	f, err := Create(to, true) // Unpack has checked for existing files
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	return f.Finish(err)
}
