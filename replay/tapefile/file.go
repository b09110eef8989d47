package tapefile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// Options configures an open file.
type Options struct {
	// Follow makes a reader at the end of an incomplete file wait for more data until its context
	// ends. Otherwise the reader ends at the current end of the file.
	Follow bool
}

// File is an open tape file. It is a replay.Library that ignores the tenant,
// and is safe for use by many players.
type File struct {
	file *os.File
	opts Options

	mu       sync.Mutex // guards the fields below
	contents contents   // the lists of entries only grow: slices of them stay valid
	scanned  int64      // end of the known records, bytes
	records  int        // number of known records
	frames   uint64     // number of frames in the known records
	complete bool
	broken   error // why the file is unreadable from there on
}

// Open opens a file. The error wraps ErrNotTape or ErrVersion for a file that is unreadable as a
// whole. A truncated or damaged file is opened up to its break, which Break reports.
func Open(path string, opts Options) (*File, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	f := &File{file: file, opts: opts, scanned: int64(headerSize)}
	if err := f.begin(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), file.Close())
	}
	return f, nil
}

// IsTape reports whether a file exists and begins with the magic of a tape file.
func IsTape(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	b := make([]byte, len(magic))
	_, err = io.ReadFull(file, b)
	return err == nil && string(b) == magic
}

// begin reads the header and finds the records.
func (f *File) begin() error {
	b := make([]byte, headerSize)
	n, err := f.file.ReadAt(b, 0)
	if err != nil && err != io.EOF {
		return err
	}
	if err := checkHeader(b[:n]); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	entries, err := f.readIndex()
	if err != nil {
		return f.scan() // the index is missing or damaged: scan the records
	}
	for _, e := range entries {
		f.contents.add(e)
		f.frames += e.Frames
	}
	f.complete, f.records = true, len(entries)
	return nil
}

var errNoIndex = errors.New("no index")

// readIndex reads the index at the offset in the file's trailer.
func (f *File) readIndex() ([]entry, error) {
	info, err := f.file.Stat()
	if err != nil {
		return nil, err
	}
	b := make([]byte, trailerSize)
	end := info.Size() - int64(trailerSize)
	if end < int64(headerSize) {
		return nil, errNoIndex
	}
	if _, err := f.file.ReadAt(b, end); err != nil {
		return nil, err
	}
	at, size, ok := parseTrailer(b)
	if !ok || at < int64(headerSize) || size < int64(headSize) || at > end || size != end-at {
		return nil, errNoIndex
	}
	r := recordReader{file: f.file, most: maxIndex(at)}
	body, err := r.read(&entry{kind: KindIndex, offset: at, size: int(size)})
	if err != nil {
		return nil, err
	}
	return parseIndex(body, at)
}

// scan reads the records after the known ones. The caller holds mu.
func (f *File) scan() error {
	s := NewScanner(io.NewSectionReader(f.file, f.scanned, 1<<62))
	s.begun, s.offset, s.number, s.frames = true, f.scanned, f.records, f.frames
	for {
		rec, err := s.Next()
		if err == io.EOF {
			f.complete, f.broken = true, nil
			return nil
		}
		if _, stop := errors.AsType[*BreakError](err); stop {
			f.broken = err
			return nil
		}
		if err != nil {
			return err
		}
		if rec.Kind == KindIndex {
			continue // retry together with the records after it
		}
		f.contents.add(rec.entry())
		f.scanned, f.records, f.frames = s.offset, s.number, s.frames
	}
}

// Refresh reads the records that were written since the last read.
func (f *File) Refresh() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.complete {
		return nil
	}
	return f.scan()
}

// Break returns why and where a file is unreadable, as far as that was detected on opening; nil for
// a complete file. Damage within a complete file is detected when it is read.
func (f *File) Break() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.broken
}

// Frames returns the number of readable frames of all sessions.
func (f *File) Frames() uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.frames
}

// Close closes the file. All readers must be closed.
func (f *File) Close() error { return f.file.Close() }

// Sessions returns the ids of the file's sessions, in the order of the file.
func (f *File) Sessions() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	ids := make([]string, len(f.contents.sessions))
	for i, s := range f.contents.sessions {
		ids[i] = s.id
	}
	return ids
}

// session returns the current contents of a session in the file. Records that are added later do
// not change the result. last is set if no other session follows.
func (f *File) session(id string) (s session, last, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	p := f.contents.byID[id]
	if p == nil {
		return session{}, false, false
	}
	return *p, p == f.contents.sessions[len(f.contents.sessions)-1], true
}

// ended reports whether the file is complete, and why it is unreadable if it is.
func (f *File) ended() (complete bool, broken error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.complete, f.broken
}

// followEvery is the polling interval of a growing file.
const followEvery = 50 * time.Millisecond
