// Package output writes the files that users name.
package output

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"

	"tapedeck/internal/console"
)

// File is the output file of an export. It does not change a file that is there until Finish.
type File struct {
	Keep bool // keep an incomplete file if none was there before

	file    *os.File
	old     string // the file that Finish replaces; "" for none
	regular bool   // the output is a file that can be removed
	buf     *bufio.Writer
	written atomic.Int64
}

// IsStdout reports whether the output is standard output.
func (o *File) IsStdout() bool { return o.file == os.Stdout }

// Written returns the number of bytes that were written.
func (o *File) Written() int64 { return o.written.Load() }

// Create opens an output: standard output for "" and "-". A file can be read only by the user, since
// recordings may contain secrets. An existing file is an error unless force is set.
func Create(name string, force bool) (*File, error) {
	if cmp.Or(name, "-") == "-" {
		return newFile(os.Stdout), nil
	}
	if force {
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
			return replace(name, info.Mode().Perm())
		}
	}
	file, err := CreateFile(name, force)
	if err != nil {
		return nil, err
	}
	o := newFile(file)
	info, err := file.Stat()
	o.regular = err == nil && info.Mode().IsRegular()
	return o, nil
}

// replace opens a file beside an existing one, in whose place Finish puts it.
func replace(name string, mode os.FileMode) (*File, error) {
	old, err := filepath.EvalSymlinks(name)
	if err != nil {
		return nil, err
	}
	file, err := os.CreateTemp(filepath.Dir(old), "."+filepath.Base(old)+".*.tmp")
	if err != nil {
		return nil, fmt.Errorf("write a file beside %s, to replace it once it is complete: %w", name, err)
	}
	o := newFile(file)
	o.old, o.regular = old, true
	if err := file.Chmod(mode); err != nil {
		return nil, o.Finish(err)
	}
	return o, nil
}

func newFile(f *os.File) *File {
	return &File{file: f, buf: bufio.NewWriterSize(console.Recorded(f), 64<<10)}
}

// CreateFile creates a file that only the user can read, since recordings may contain secrets. An
// existing file is an error unless force is set, and is emptied then.
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

// Finish ends the output. err is the error of the export, nil if it succeeded. The file of a failed
// export is removed unless Keep is set, and what was there before stays. It returns the error to
// show.
func (o *File) Finish(err error) error {
	err = errors.Join(err, o.buf.Flush())
	if o.IsStdout() {
		return err
	}
	name := o.file.Name()
	err = errors.Join(err, o.file.Close())
	if err == nil && o.old != "" {
		err = os.Rename(name, o.old)
	}
	switch {
	case err == nil || !o.regular:
		return err
	case o.old != "":
		return fmt.Errorf("%w\n%s is as it was", errors.Join(err, os.Remove(name)), o.old)
	case o.Keep:
		return fmt.Errorf("%w\n%s holds what came up to there, and can be played and imported so far", err, name)
	}
	return errors.Join(err, os.Remove(name))
}
