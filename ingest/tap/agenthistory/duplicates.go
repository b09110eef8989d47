package agenthistory

import (
	"errors"
	"io"
	"os"
)

// Files with the same name and session at several paths are one source: a copy of a folder, or a
// file that was moved. The longest file is recorded. If each file has lines that the other lacks,
// they are two sources.

// moved returns the entry of the same source at another path.
func (p *Progress) moved(s *Source) *entry {
	e := p.streams[s.streamID(0)]
	if e == nil || s.kind != lines {
		return e
	}
	for next := e; next != nil; next = p.streams[s.streamID(e.Generation+1)] {
		e = next
	}
	if _, err := os.Stat(e.Path); err != nil || s.isFile(e.Path) || s.within(e.Path) || within(e.Path, s.Path) {
		return e
	}
	s.name += "\x00" + s.Path
	return p.streams[s.streamID(0)]
}

// dropDuplicates sets the state of new sources that would be recorded as the same stream.
func (f *Found) dropDuplicates() {
	byStream := map[string]*Source{}
	for _, s := range f.Sources {
		if s.State != StateNew {
			continue
		}
		id := s.streamID(0)
		first := byStream[id]
		switch {
		case first == nil:
			byStream[id] = s
		case s.kind == lines && s.within(first.Path):
			s.State = StateCopy
		case s.kind == lines && within(first.Path, s.Path):
			first.State, byStream[id] = StateCopy, s
		default:
			s.name += "\x00" + s.Path
		}
	}
}

// isFile reports whether the file at a path is the source's own file, found through a link.
func (s *Source) isFile(path string) bool {
	own, err := os.Stat(s.Path)
	if err != nil {
		return false
	}
	other, err := os.Stat(path)
	return err == nil && os.SameFile(own, other)
}

// within reports whether the file at a path begins with all bytes of the source's file.
func (s *Source) within(path string) bool { return within(s.Path, path) }

func within(short, long string) bool {
	a, err := openRegular(short)
	if err != nil {
		return false
	}
	defer a.Close()
	b, err := openRegular(long)
	if err != nil {
		return false
	}
	defer b.Close()
	return begins(a, b)
}

// begins reports whether long begins with all bytes of short.
func begins(short, long io.Reader) bool {
	p, q := make([]byte, 64<<10), make([]byte, 64<<10)
	for {
		n, err := io.ReadFull(short, p)
		if _, failed := io.ReadFull(long, q[:n]); failed != nil || string(p[:n]) != string(q[:n]) {
			return false
		}
		if err != nil {
			return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		}
	}
}
