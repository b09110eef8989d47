// Package syncbuffer collects the output of a process or a logger, for tests and benchmarks that
// read it while it is written.
package syncbuffer

import (
	"bytes"
	"sync"
)

// Output is an io.Writer that collects all bytes written to it. The zero value is empty. It is safe
// for use by many goroutines.
type Output struct {
	mu  sync.Mutex // guards buf
	buf bytes.Buffer
}

// Write implements io.Writer. It does not fail.
func (o *Output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.Write(p)
}

// String returns the bytes written so far.
func (o *Output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.String()
}
