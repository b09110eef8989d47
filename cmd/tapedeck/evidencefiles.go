package main

import (
	"archive/zip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"tapedeck/query/evidence"
)

// files takes files one after the other.
type files interface {
	evidence.Files
	close() error
}

// newFiles writes to a directory, or to an archive if its name ends in .zip.
func newFiles(to string, force bool) (files, error) {
	if !strings.HasSuffix(to, ".zip") {
		return &directory{path: to, force: force}, nil
	}
	f, err := createFile(to, force)
	if err != nil {
		return nil, err
	}
	return &archive{zip.NewWriter(f), f}, nil
}

// directory writes files below a directory.
type directory struct {
	path  string
	force bool     // files that exist are overwritten
	open  *os.File // the file that is written
}

func (d *directory) Create(name string) (io.Writer, error) {
	if err := d.close(); err != nil {
		return nil, err
	}
	path := filepath.Join(d.path, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, err
	}
	f, err := createFile(path, d.force)
	if err != nil {
		return nil, err
	}
	d.open = f
	return f, nil
}

func (d *directory) close() error {
	if d.open == nil {
		return nil
	}
	err := d.open.Close()
	d.open = nil
	return err
}

// archive writes files to a ZIP archive.
type archive struct {
	zip  *zip.Writer
	file *os.File
}

func (a *archive) Create(name string) (io.Writer, error) { return a.zip.Create(name) }

func (a *archive) close() error { return errors.Join(a.zip.Close(), a.file.Close()) }
