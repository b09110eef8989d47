package copier

import (
	"bytes"

	"tapedeck/schema"
)

// Source provides the bytes of a stream, read by read.
type Source interface {
	// Next waits for the next read and returns its bytes, at least one, and its arrival
	// time, ns. The bytes are valid until the next call. At the end the error is io.EOF.
	// After an error, all further calls return the same error.
	Next() (p []byte, at int64, err error)
}

// sniffLimit bounds the bytes that are read to detect the transport.
const sniffLimit = 64 << 10

// Sniff detects the transport of a source from its first bytes. It reads as many bytes as the
// detection needs, and returns a source that repeats these reads with their arrival times. If the
// source ends, fails or stays ambiguous, the transport is NDJSON.
func Sniff(from Source) (schema.Transport, Source) {
	a := &sniffed{from: from}
	var head []byte
	for {
		t, sure := ByFirstBytes(head)
		if sure || len(head) >= sniffLimit {
			return t, a
		}
		p, at, err := from.Next()
		if err != nil { // Next returns it again after the buffered reads
			return t, a
		}
		a.chunks = append(a.chunks, chunk{bytes.Clone(p), at})
		head = append(head, p...)
	}
}

// sniffed is a Source that returns buffered reads before it reads another source.
type sniffed struct {
	chunks []chunk
	from   Source
}

// chunk is one read.
type chunk struct {
	data []byte
	at   int64
}

// Next implements Source.
func (a *sniffed) Next() (p []byte, at int64, err error) {
	if len(a.chunks) == 0 {
		a.chunks = nil
		return a.from.Next()
	}
	c := a.chunks[0]
	a.chunks = a.chunks[1:]
	return c.data, c.at, nil
}
