package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
)

// output is the output file of an export.
type output struct {
	file    *os.File
	buf     *bufio.Writer
	written atomic.Int64
	keep    bool // an incomplete file is kept
}

// createOutput opens an output: standard output for "" and "-".
func createOutput(name string, force bool) (*output, error) {
	if cmp.Or(name, "-") == "-" {
		return newOutput(os.Stdout), nil
	}
	file, err := createFile(name, force)
	if err != nil {
		return nil, err
	}
	return newOutput(file), nil
}

func newOutput(f *os.File) *output { return &output{file: f, buf: bufio.NewWriterSize(f, 64<<10)} }

// createFile creates a file that only the user may read, as recordings may have secrets. A
// file that exists is an error unless force is set.
func createFile(name string, force bool) (*os.File, error) {
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

// existsError is the error of a file that is not overwritten.
func existsError(name string) error {
	return fmt.Errorf("%s is there already: choose another name, or write over it with --force", name)
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.buf.Write(p)
	o.written.Add(int64(n))
	return n, err
}

// finish flushes and closes the file.
func (o *output) finish() error {
	err := o.buf.Flush()
	if o.file != os.Stdout {
		err = errors.Join(err, o.file.Close())
	}
	return err
}

// failed removes the file of a failed export, unless keep is set.
func (o *output) failed(err error) error {
	switch {
	case o.file == os.Stdout:
	case o.keep:
		return fmt.Errorf("%w\n%s holds what came up to there, and can be played and imported so far", err, o.file.Name())
	default:
		return errors.Join(err, os.Remove(o.file.Name()))
	}
	return err
}
