package main

import (
	"io"
	"sync/atomic"
)

// countingReader counts the bytes that are read from a reader.
type countingReader struct {
	io.Reader
	read atomic.Int64
}

// Read implements io.Reader.
func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.read.Add(int64(n))
	return n, err
}
