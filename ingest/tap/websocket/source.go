package websocket

import (
	"io"
	"sync"
)

// readSize bounds the bytes of one read.
const readSize = 32 << 10

// readBuffers are shared between connections, so that an idle connection holds none.
var readBuffers = sync.Pool{New: func() any {
	b := make([]byte, readSize)
	return &b
}}

// source reads a connection into the caller's buffer. After a read that filled the buffer, it reads
// into a larger buffer of its own, so that a large message takes few reads.
type source struct {
	from io.Reader
	buf  *[]byte // nil unless the last read filled its buffer, or buf holds the bytes of the last read
	full bool    // the last read was filled
}

// receive reads once, into p or into a larger buffer that is valid until release.
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
