package history

import (
	"io"
	"os"
)

// open opens the content of a source: its file, or the events of a tree.
func (s *Source) open() (io.ReadCloser, error) {
	if s.kind == tree {
		return &eventReader{source: s}, nil
	}
	f, err := os.Open(s.Path)
	if err != nil {
		return nil, &readError{err}
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() { // it was replaced since it was found
		err = errForeign
	}
	if err != nil {
		f.Close()
		return nil, &readError{err}
	}
	return f, nil
}
