package focus

import (
	"archive/zip"
	"io"
	"time"
)

// Archive is an Output that writes one ZIP file. Close must be called at the end.
type Archive struct {
	zip *zip.Writer
	at  time.Time
}

// NewArchive returns an archive whose files have the modification time at.
func NewArchive(w io.Writer, at time.Time) *Archive { return &Archive{zip.NewWriter(w), at} }

// Create implements Output.
func (a *Archive) Create(name string) (io.WriteCloser, error) {
	w, err := a.zip.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: a.at.UTC()})
	return entry{w}, err
}

// Close writes the directory of the ZIP file.
func (a *Archive) Close() error { return a.zip.Close() }

// entry is a file of an archive. Creating the next file ends it.
type entry struct{ io.Writer }

func (entry) Close() error { return nil }
