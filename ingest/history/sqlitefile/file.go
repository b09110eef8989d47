// Package sqlitefile reads the tables of an SQLite 3 database (https://sqlite.org/fileformat2.html)
// while another program writes to it. It opens the files for reading only, takes no lock and
// creates nothing beside them: the program that owns the database does not notice it.
//
//	Open ──► File ──► Table ──► Scan, Row ──► columns of a row
//	header,  pages: the newest committed one of the write-ahead log, else that of the database
//	log
//
// Without a lock the owner may overwrite pages while they are read. Unchanged says afterwards
// whether that may have happened; what was read until then counts only if not.
package sqlitefile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

var (
	// ErrFormat reports a file that is not an SQLite database, or is damaged.
	ErrFormat = errors.New("not a database of SQLite, or damaged")
	// ErrBusy reports a database that another program is writing to without a write-ahead log.
	ErrBusy = errors.New("another program is writing to the database")
)

// File is the last committed state of a database when it was opened. It is for one goroutine.
type File struct {
	path string
	db   *os.File
	log  *walFile // nil if the database has none

	rollback bool // changes are written in place, with a journal beside the file
	pageSize int
	usable   int    // bytes of a page that SQLite uses
	pages    uint32 // of the database
	size     int64  // of the file when it was opened, bytes
	modified time.Time
	cache    map[uint32][]byte
}

const (
	headerSize = 100
	magic      = "SQLite format 3\x00"
	// cachedPages bounds the pages that are kept in memory.
	cachedPages = 128
)

// Open reads the header and the write-ahead log of a database.
func Open(path string) (*File, error) {
	path, err := filepath.EvalSymlinks(path) // the log is beside the file
	if err != nil {
		return nil, err
	}
	db, info, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	f := &File{path: path, db: db, size: info.Size(), modified: info.ModTime(), cache: map[uint32][]byte{}}
	if err := f.begin(); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// openRegular opens a regular file without waiting for the writer of a pipe.
func openRegular(path string) (*os.File, os.FileInfo, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = ErrFormat
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// begin reads the header.
func (f *File) begin() error {
	head := make([]byte, headerSize)
	if _, err := f.db.ReadAt(head, 0); err != nil {
		if errors.Is(err, io.EOF) {
			return fmt.Errorf("%w: it has %d bytes", ErrFormat, f.size)
		}
		return err
	}
	if string(head[:16]) != magic {
		return ErrFormat
	}
	f.pageSize = int(binary.BigEndian.Uint16(head[16:]))
	if f.pageSize == 1 {
		f.pageSize = 1 << 16
	}
	f.usable = f.pageSize - int(head[20])
	if f.pageSize < 512 || f.pageSize&(f.pageSize-1) != 0 || f.usable < 480 {
		return fmt.Errorf("%w: pages of %d bytes", ErrFormat, f.pageSize)
	}
	f.pages = uint32(min(f.size/int64(f.pageSize), 1<<32-2))
	switch version := head[19]; version {
	case 1:
		f.rollback = true
		if f.hasJournal() {
			return ErrBusy
		}
	case 2:
		if err := f.openLog(); err != nil {
			return err
		}
	default:
		return fmt.Errorf("%w: version %d of the format is not known", ErrFormat, version)
	}
	first, err := f.page(1)
	if err != nil {
		return err
	}
	if encoding := binary.BigEndian.Uint32(first[56:]); encoding > 1 {
		return fmt.Errorf("%w: its text is not UTF-8", ErrFormat)
	}
	return nil
}

// hasJournal reports whether a change is being written in place, or was left half-written by
// a program that was killed.
func (f *File) hasJournal() bool {
	info, err := os.Stat(f.path + "-journal")
	return err == nil && info.Size() > 0
}

// openLog reads the write-ahead log.
func (f *File) openLog() error {
	file, info, err := openRegular(f.path + "-wal")
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("write-ahead log: %w", err)
	}
	f.log = &walFile{file: file, info: info}
	if err := f.log.read(f.pageSize); err != nil {
		return fmt.Errorf("write-ahead log: %w", err)
	}
	if f.log.pages > 0 {
		f.pages = f.log.pages
	}
	return nil
}

// Unchanged reports whether all that was read so far is of the state that was opened: no page
// of it was overwritten meanwhile.
func (f *File) Unchanged() bool {
	info, err := os.Stat(f.path)
	if err != nil {
		return false
	}
	same := info.Size() == f.size && info.ModTime().Equal(f.modified)
	if f.rollback {
		return same && !f.hasJournal()
	}
	now, err := os.Stat(f.path + "-wal")
	if f.log == nil {
		return same && (errors.Is(err, fs.ErrNotExist) || err == nil && now.Size() == 0)
	}
	// The owner copies committed pages from the log into the database. Those of the state that
	// was opened are read from the log, so that only pages of later commits do harm.
	return err == nil && os.SameFile(now, f.log.info) && f.log.unchanged() && (same || !f.log.grown())
}

// page returns a page, numbered from 1. It is valid until the next call and not to be changed.
func (f *File) page(n uint32) ([]byte, error) {
	if p := f.cache[n]; p != nil {
		return p, nil
	}
	if n == 0 || n > f.pages {
		return nil, fmt.Errorf("%w: page %d of %d", ErrFormat, n, f.pages)
	}
	p := make([]byte, f.pageSize)
	from, at := f.db, int64(n-1)*int64(f.pageSize)
	if f.log != nil {
		if in, ok := f.log.newest[n]; ok {
			from, at = f.log.file, in
		}
	}
	if _, err := from.ReadAt(p, at); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("%w: page %d is missing", ErrFormat, n)
		}
		return nil, err
	}
	if len(f.cache) >= cachedPages {
		clear(f.cache)
	}
	f.cache[n] = p
	return p, nil
}

// Close closes the files.
func (f *File) Close() error {
	err := f.db.Close()
	if f.log != nil {
		err = errors.Join(err, f.log.file.Close())
	}
	return err
}
