package output

import (
	"archive/zip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"tapedeck/query/billing/evidence"
)

// Files writes one file after another.
type Files interface {
	evidence.Files
	Close() error
}

// NewFiles writes to a directory, or to an archive if its name ends in .zip.
func NewFiles(to string, force bool) (Files, error) {
	if !strings.HasSuffix(to, ".zip") {
		return &directory{path: to, force: force}, nil
	}
	f, err := CreateFile(to, force)
	if err != nil {
		return nil, err
	}
	return &archive{zip.NewWriter(f), f}, nil
}

// directory writes files below a directory.
type directory struct {
	path  string
	force bool     // overwrite existing files
	open  *os.File // the file that is being written
}

func (d *directory) Create(name string) (io.Writer, error) {
	if err := d.Close(); err != nil {
		return nil, err
	}
	path := filepath.Join(d.path, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, err
	}
	f, err := CreateFile(path, d.force)
	if err != nil {
		return nil, err
	}
	d.open = f
	return f, nil
}

func (d *directory) Close() error {
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

func (a *archive) Close() error { return errors.Join(a.zip.Close(), a.file.Close()) }
