package websocket

import (
	"io"
	"sync"
)

// readSize bounds the bytes of one read.
const readSize = 32 << 10

// readBuffers are shared among connections, so that a silent one holds none.
var readBuffers = sync.Pool{New: func() any {
	b := make([]byte, readSize)
	return &b
}}

// source reads a connection into the caller's memory, and after a read that filled it into
// memory of its own, so that a large message takes few reads.
type source struct {
	from io.Reader
	buf  *[]byte // nil unless the last read was filled, or buf holds what was read
	full bool    // the last read was filled
}

// receive reads once: into p, or into memory of its own that is valid until release.
func (s *source) receive(p []byte) ([]byte, error) {
	if s.full && s.buf == nil {
		s.buf = readBuffers.Get().(*[]byte)
	}
	if s.buf != nil {
		p = *s.buf
	}
	n, err := s.from.Read(p)
	s.full = n == len(p)
	return p[:n], err
}

// release ends the use of the bytes that receive returned.
func (s *source) release() {
	if s.buf != nil && !s.full {
		readBuffers.Put(s.buf)
		s.buf = nil
	}
}
