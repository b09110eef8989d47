// Package output writes the files that users name.
package output

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"os"
	"sync/atomic"

	"tapedeck/internal/console"
)

// File is the output file of an export.
type File struct {
	Keep bool // keep an incomplete file

	file    *os.File
	buf     *bufio.Writer
	written atomic.Int64
}

// IsStdout reports whether the output is standard output.
func (o *File) IsStdout() bool { return o.file == os.Stdout }

// Written returns the number of bytes that were written.
func (o *File) Written() int64 { return o.written.Load() }

// Create opens an output: standard output for "" and "-".
func Create(name string, force bool) (*File, error) {
	if cmp.Or(name, "-") == "-" {
		return newFile(os.Stdout), nil
	}
	file, err := CreateFile(name, force)
	if err != nil {
		return nil, err
	}
	return newFile(file), nil
}

func newFile(f *os.File) *File {
	return &File{file: f, buf: bufio.NewWriterSize(console.Recorded(f), 64<<10)}
}

// CreateFile creates a file that only the user can read, since recordings may contain secrets. An
// existing file is an error unless force is set.
func CreateFile(name string, force bool) (*os.File, error) {
	flags := os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	if !force {
		flags |= os.O_EXCL
	}
	f, err := os.OpenFile(name, flags, 0o600)
	if errors.Is(err, os.ErrExist) {
		return nil, existsError(name)
	}
	return f, err
}

// existsError is the error for an existing file that is not overwritten.
func existsError(name string) error {
	return fmt.Errorf("%s is there already: choose another name, or write over it with --force", name)
}

// Write implements io.Writer.
func (o *File) Write(p []byte) (int, error) {
	n, err := o.buf.Write(p)
	o.written.Add(int64(n))
	return n, err
}

// Finish flushes and closes the file.
func (o *File) Finish() error {
	err := o.buf.Flush()
	if !o.IsStdout() {
		err = errors.Join(err, o.file.Close())
	}
	return err
}

// Failed removes the file of a failed export, unless Keep is set. It returns the error to show.
func (o *File) Failed(err error) error {
	switch {
	case o.IsStdout():
	case o.Keep:
		return fmt.Errorf("%w\n%s holds what came up to there, and can be played and imported so far", err,
			o.file.Name())
	default:
		return errors.Join(err, os.Remove(o.file.Name()))
	}
	return err
}
