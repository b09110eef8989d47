package copier

import (
	"bytes"

	"tapedeck/schema"
)

// Source is what bytes come from.
type Source interface {
	// Next waits for the next read and gives its bytes, at least one, and when
	// it came, ns. The bytes are valid until the next call. At the end the
	// error is io.EOF. An error stands.
	Next() (p []byte, at int64, err error)
}

// sniffLimit bounds what is read ahead to tell the transport, bytes.
const sniffLimit = 64 << 10

// Sniff tells what cuts a source, by as many reads as that takes. The source
// that it gives back gives out those first, with their times. A source that
// ends, fails or goes on without saying has lines.
func Sniff(from Source) (schema.Transport, Source) {
	a := &ahead{from: from}
	var head []byte
	for {
		t, sure := ByFirstBytes(head)
		if sure || len(head) >= sniffLimit {
			return t, a
		}
		p, at, err := from.Next()
		if err != nil { // it stands, and comes again after what was read
			return t, a
		}
		a.chunks = append(a.chunks, chunk{bytes.Clone(p), at})
		head = append(head, p...)
	}
}

// ahead gives out what was read ahead of it first.
type ahead struct {
	chunks []chunk
	from   Source
}

// chunk is one read.
type chunk struct {
	data []byte
	at   int64
}

// Next implements Source.
func (a *ahead) Next() (p []byte, at int64, err error) {
	if len(a.chunks) == 0 {
		a.chunks = nil
		return a.from.Next()
	}
	c := a.chunks[0]
	a.chunks = a.chunks[1:]
	return c.data, c.at, nil
}
