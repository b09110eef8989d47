package snapshot

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// access is the way in which a database is read.
type access int

const (
	// shared uses the locks and the index of the log that the owner of the database uses too.
	shared access = iota
	// unindexed is for a database with a log that has no index: no program has the database open.
	// SQLite would create the index beside the log; here the index is a temporary file.
	unindexed
	// unlogged is for a database in write-ahead mode without a log: no program has it open, and the
	// database file is complete. SQLite would create a log and an index beside it; here it reads
	// only the database file.
	unlogged
)

// state identifies the contents of a database's files at one time.
type state struct {
	access        access
	database, log os.FileInfo // log is nil for none
}

// versionAt is the offset of the header's byte that names the journal mode; 2 is a write-ahead log.
// See https://sqlite.org/fileformat2.html.
const versionAt = 19

// stateOf examines the files of a database. It reads only the header.
func stateOf(path string) (*state, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // does not wait for the writer of a pipe
	if err != nil {
		return nil, err
	}
	defer f.Close()
	s := &state{}
	if s.database, err = f.Stat(); err != nil {
		return nil, err
	}
	if !s.database.Mode().IsRegular() {
		return nil, foreign("it is not a file")
	}
	head := make([]byte, versionAt+1)
	if _, err := io.ReadFull(f, head); err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	if s.log, err = beside(path, "-wal"); err != nil {
		return nil, err
	}
	index, err := beside(path, "-shm")
	if err != nil {
		return nil, err
	}
	if _, err := beside(path, "-journal"); err != nil {
		return nil, err
	}
	switch {
	case s.log != nil && index == nil:
		s.access = unindexed
	case s.log == nil && head[versionAt] == 2:
		s.access = unlogged
	}
	return s, nil
}

// beside returns a file beside a database, nil if there is none. It refuses pipes, since SQLite
// would wait for the writer of a pipe.
func beside(path, suffix string) (os.FileInfo, error) {
	info, err := os.Lstat(path + suffix)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, foreign("its %s is not a file", suffix)
	}
	return info, nil
}

// size returns the size of the database and its log, bytes.
func (s *state) size() int64 {
	n := s.database.Size()
	if s.log != nil {
		n += s.log.Size()
	}
	return n
}

// counts reports whether the result of a read that began in this state is valid. A read without the
// owner's locks is valid if nothing was changed meanwhile. A failed read with these locks is not
// valid if the owner opened or closed the database meanwhile.
func (s *state) counts(path string, err error) bool {
	if s.access == shared && err == nil {
		return true
	}
	now, failed := stateOf(path)
	if failed != nil || now.access != s.access {
		return false
	}
	return s.access == shared || unchanged(s.database, now.database) && unchanged(s.log, now.log)
}

// unchanged compares the state of a file before and after a read; nil is a missing file.
func unchanged(before, now os.FileInfo) bool {
	if before == nil || now == nil {
		return before == now
	}
	return os.SameFile(before, now) && before.Size() == now.Size() && before.ModTime().Equal(now.ModTime())
}
