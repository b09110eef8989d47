// Package syncbuffer keeps what a process or a logger writes, for tests and benchmarks that read it
// meanwhile.
package syncbuffer

import (
	"bytes"
	"sync"
)

// Output is an io.Writer that keeps all bytes written to it. The zero value is empty. It is safe
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

// String returns what was written until now.
func (o *Output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.String()
}
