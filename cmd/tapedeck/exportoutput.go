package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
)

// output is the file that an export goes to.
type output struct {
	file    *os.File
	buf     *bufio.Writer
	written atomic.Int64
	keep    bool // a file that is not whole is of use
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.buf.Write(p)
	o.written.Add(int64(n))
	return n, err
}

// finish writes what waits and closes the file.
func (o *output) finish() error {
	err := o.buf.Flush()
	if o.file != os.Stdout {
		err = errors.Join(err, o.file.Close())
	}
	return err
}

// failed removes what came of an export that failed, unless it is of use.
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
