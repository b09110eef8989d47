// Package file records whole files, and files that grow.
package file

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"tapedeck/ingest"
	"tapedeck/ingest/tap/copier"
)

// Options configure the recording of a file.
type Options struct {
	Path       string
	FrameLimit int // bytes; default ingest.DefaultFrameLimit
	// Progress, if set, is called after each read with the number of recorded bytes and the size
	// that the file had at the beginning, 0 if it is not known (a named pipe). It must not block.
	Progress func(done, total int64)
	// Known, if set, is called before anything is recorded, with the SHA-256 of a regular file's
	// bytes in hexadecimal. If it returns an error, Record returns the error and records nothing.
	// Known is not called for an empty file.
	Known func(digest string) error
	// FrameClock takes the times of a regular file from inside its frames, where these state
	// times: see ingest.StreamOptions.IfTimed.
	FrameClock bool
}

// Record records the present content of a file, as fast as it can be read, and returns once all of
// it is durable. The content determines whether it is NDJSON or SSE. When ctx ends, what was read
// so far is recorded, and the stream ends with "closed". The summary is empty if ctx ends before a
// named pipe has a writer. The summary is valid even if there is an error, except an error of
// opening.
func Record(ctx context.Context, rec *ingest.Recorder, so ingest.StreamOptions, opts Options) (ingest.Summary, error) {
	f, err := open(ctx, opts.Path)
	if err != nil {
		return ingest.Summary{}, fmt.Errorf("record a file: %w", err)
	}
	if f == nil {
		return ingest.Summary{}, nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return ingest.Summary{}, fmt.Errorf("record a file: %w", err)
	}
	if info.IsDir() {
		return ingest.Summary{}, fmt.Errorf("record %s: it is a directory, name a file", opts.Path)
	}
	so.Digest = info.Mode().IsRegular()
	if opts.FrameClock && info.Mode().IsRegular() {
		so.FrameClock, so.IfTimed = true, true
	}
	if so.Digest && opts.Known != nil && info.Size() > 0 {
		if err := checkKnown(f, opts.Known); err != nil {
			return ingest.Summary{}, err
		}
	}
	var from io.Reader = f
	reader := copier.NewFileReader
	total := info.Size()
	if !info.Mode().IsRegular() { // a named pipe: it may be slow and without end
		from, reader, total = copier.Interruptible(ctx, f), copier.NewReader, 0
	}
	if opts.Progress != nil {
		from = &counted{from: from, total: total, report: opts.Progress}
	}
	if so.Source == "" {
		so.Source = opts.Path
	}
	if so.Title == "" && info.Mode().IsRegular() {
		so.Title = filepath.Base(opts.Path)
	}
	sum, err := copier.Record(ctx, rec, so, reader(from), opts.FrameLimit)
	if err != nil {
		err = fmt.Errorf("record %s: %w", opts.Path, err)
	}
	return sum, err
}

// open opens a file for reading. It returns nil if ctx ends before a named pipe has a writer: the
// system call that waits for a writer cannot be interrupted, and continues until there is one.
func open(ctx context.Context, path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		return os.Open(path)
	}
	type result struct {
		file *os.File
		err  error
	}
	opened := make(chan result)
	go func() {
		f, err := os.Open(path)
		select {
		case opened <- result{f, err}:
		case <-ctx.Done():
			if err == nil {
				_ = f.Close() // nothing was read from it
			}
		}
	}()
	select {
	case r := <-opened:
		return r.file, r.err
	case <-ctx.Done():
		return nil, nil
	}
}

// checkKnown reads the file, calls known with its digest, and seeks to the beginning.
func checkKnown(f *os.File, known func(digest string) error) error {
	digest, err := digestOf(f)
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		return fmt.Errorf("record a file: compute its digest: %w", err)
	}
	return known(digest)
}

// Digest returns the digest with which Options.Known is called for a file.
func Digest(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	return digestOf(f)
}

// digestOf returns the SHA-256 of what a reader has, in hexadecimal.
func digestOf(r io.Reader) (string, error) {
	h := sha256.New()
	_, err := io.Copy(h, r)
	return hex.EncodeToString(h.Sum(nil)), err
}

// counted reports the progress of reading. When it is read again, the bytes of the previous read
// have been recorded.
type counted struct {
	from        io.Reader
	done, total int64
	report      func(done, total int64)
}

// Read implements io.Reader.
func (c *counted) Read(p []byte) (int, error) {
	if c.done > 0 {
		c.report(c.done, c.total)
	}
	n, err := c.from.Read(p)
	c.done += int64(n)
	return n, err
}
