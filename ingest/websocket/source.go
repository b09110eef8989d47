package websocket

import (
	"io"
	"net"
	"os"
	"sync"
	"syscall"
)

// source provides the bytes of a connection.
type source interface {
	// receive reads once: into p, or into memory of its own that is valid until release.
	receive(p []byte) (came []byte, err error)
	release()
}

// readSize bounds the bytes of one read.
const readSize = 32 << 10

// readBuffers are shared among connections, so that a silent one holds none.
var readBuffers = sync.Pool{New: func() any {
	b := make([]byte, readSize)
	return &b
}}

// socket reads a connection that reports when it is readable, and takes memory only then.
type socket struct {
	raw   syscall.RawConn
	take  func(fd uintptr) bool // of this socket, made once
	early []byte                // bytes read with the handshake
	buf   *[]byte               // nil while it holds no received bytes
	n     int                   // of the last read
	err   error
}

// newSocket returns nil for a connection that is not a socket.
func newSocket(conn net.Conn, early []byte) *socket {
	real, ok := conn.(syscall.Conn)
	if !ok {
		return nil
	}
	raw, err := real.SyscallConn()
	if err != nil {
		return nil
	}
	s := &socket{raw: raw, early: early}
	s.take = s.read
	return s
}

// receive implements source.
func (s *socket) receive([]byte) ([]byte, error) {
	if early := s.early; len(early) > 0 {
		s.early = nil
		return early, nil
	}
	if err := s.raw.Read(s.take); err != nil {
		return nil, err
	}
	switch {
	case s.err != nil:
		return nil, os.NewSyscallError("read", s.err)
	case s.n == 0:
		return nil, io.EOF
	}
	return (*s.buf)[:s.n], nil
}

// read reads available bytes. It returns false if there are none.
func (s *socket) read(fd uintptr) bool {
	buf := readBuffers.Get().(*[]byte)
	for {
		s.n, s.err = syscall.Read(int(fd), *buf)
		if s.err != syscall.EINTR {
			break
		}
	}
	if s.n > 0 {
		s.buf = buf
		return true
	}
	readBuffers.Put(buf)
	return s.err != syscall.EAGAIN
}

// release implements source.
func (s *socket) release() {
	if s.buf != nil {
		readBuffers.Put(s.buf)
		s.buf = nil
	}
}

// plain reads a connection that is not a socket. It uses memory of its own only while reads
// are large.
type plain struct {
	from io.Reader
	buf  *[]byte
	keep bool // the next read is likely to be large
}

// receive implements source.
func (r *plain) receive(p []byte) ([]byte, error) {
	into := p
	if r.buf != nil {
		into = *r.buf
	}
	n, err := r.from.Read(into)
	r.keep = n >= len(p)
	if r.keep && r.buf == nil {
		r.buf = readBuffers.Get().(*[]byte)
	}
	return into[:n], err
}

// release implements source.
func (r *plain) release() {
	if r.buf != nil && !r.keep {
		readBuffers.Put(r.buf)
		r.buf = nil
	}
}
