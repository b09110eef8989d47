package agenthistory

import (
	"io"
	"os"
	"syscall"
)

// open opens the content of a source: its file, or the events that a tree is converted to.
func (s *Source) open() (io.ReadCloser, error) {
	switch {
	case s.row != nil:
		return s.openRow()
	case s.convert != nil:
		return s.openConverted()
	case s.kind == tree:
		return &eventReader{objects: &fileObjects{source: s}, messages: s.messages, writing: s.writing}, nil
	}
	f, err := openRegular(s.Path)
	if err != nil {
		return nil, &readError{err}
	}
	return f, nil
}

// openRegular opens a regular file. It refuses pipes and devices, also if one has replaced the file
// since the file was found, and does not wait for a pipe's writer.
func openRegular(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errForeign
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// readRegular reads a regular file of up to most bytes.
func readRegular(path string, most int64) ([]byte, error) {
	f, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(text)) > most {
		return nil, errForeign
	}
	return text, err
}
