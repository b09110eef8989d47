package output

import (
	"archive/zip"
	"io"
	"os"
	"path/filepath"
	"strings"

	"tapedeck/query/billing/evidence"
)

// Files writes one file after another. Existing files are replaced by complete ones only.
type Files interface {
	evidence.Files
	// Finish ends the last file, or the archive. err is the error of the export, nil if it succeeded.
	// It returns the error to show.
	Finish(err error) error
}

// NewFiles writes to a directory, or to an archive if its name ends in .zip.
func NewFiles(to string, force bool) (Files, error) {
	if !strings.HasSuffix(to, ".zip") {
		return &directory{path: to, force: force}, nil
	}
	f, err := Create(to, force)
	if err != nil {
		return nil, err
	}
	return &archive{zip.NewWriter(f), f}, nil
}

// directory writes files below a directory.
type directory struct {
	path  string
	force bool  // overwrite existing files
	open  *File // the file that is being written
}

func (d *directory) Create(name string) (io.Writer, error) {
	if err := d.Finish(nil); err != nil {
		return nil, err
	}
	path := filepath.Join(d.path, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, err
	}
	f, err := Create(path, d.force)
	if err != nil {
		return nil, err
	}
	d.open = f
	return f, nil
}

func (d *directory) Finish(err error) error {
	if d.open != nil {
		err = d.open.Finish(err)
		d.open = nil
	}
	return err
}

// archive writes files to a ZIP archive.
type archive struct {
	zip  *zip.Writer
	file *File
}

func (a *archive) Create(name string) (io.Writer, error) { return a.zip.Create(name) }

func (a *archive) Finish(err error) error {
	if err == nil {
		err = a.zip.Close()
	}
	return a.file.Finish(err)
}
