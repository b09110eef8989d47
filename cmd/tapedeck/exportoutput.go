package main

import (
	"bufio"
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
