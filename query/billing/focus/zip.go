package focus

import (
	"archive/zip"
	"io"
	"time"
)

// Archive is an Output of one ZIP file. Close ends it.
type Archive struct {
	zip *zip.Writer
	at  time.Time
}

// NewArchive makes an archive whose files are of a time.
func NewArchive(w io.Writer, at time.Time) *Archive { return &Archive{zip.NewWriter(w), at} }

// Create implements Output.
func (a *Archive) Create(name string) (io.WriteCloser, error) {
	w, err := a.zip.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: a.at.UTC()})
	return entry{w}, err
}

// Close writes the archive's directory.
func (a *Archive) Close() error { return a.zip.Close() }

// entry is a file of an archive, which the next one ends.
type entry struct{ io.Writer }

func (entry) Close() error { return nil }
