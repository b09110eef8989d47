// Package copier moves a byte stream into a recording: it reads, notes when each
// read came, has the bytes cut into frames, and records these.
package copier

import (
	"bytes"
	"fmt"
	"mime"
	"strings"

	"tapedeck/ingest"
	"tapedeck/ingest/framing/ndjson"
	"tapedeck/ingest/framing/sse"
	"tapedeck/internal/wellformed"
	"tapedeck/schema"
)

// NewFramer makes the framer of a transport that is a byte stream, with a frame
// limit in bytes, 0 for ingest.DefaultFrameLimit. It panics for any other
// transport.
func NewFramer(t schema.Transport, limit int) ingest.Framer {
	switch t {
	case schema.NDJSON:
		return ndjson.NewFramer(limit)
	case schema.SSE:
		return sse.NewFramer(limit)
	}
	panic(fmt.Sprintf("transport %s is not a byte stream", t))
}

// mediaTypes are those that say what cuts a body. JSON as such is here since a
// line is what most of it is, and one value printed over several lines is a
// frame as well.
var mediaTypes = map[string]schema.Transport{
	"text/event-stream":       schema.SSE,
	"application/x-ndjson":    schema.NDJSON,
	"application/ndjson":      schema.NDJSON,
	"application/jsonl":       schema.NDJSON,
	"application/x-jsonl":     schema.NDJSON,
	"application/jsonlines":   schema.NDJSON,
	"application/x-jsonlines": schema.NDJSON,
	"application/json":        schema.NDJSON,
}

// ByContentType tells the transport by the value of a Content-Type header; the
// second result is false if the type says nothing about it.
func ByContentType(value string) (schema.Transport, bool) {
	media, _, err := mime.ParseMediaType(value)
	if err != nil { // also for a bad parameter, which changes nothing
		media, _, _ = strings.Cut(value, ";")
		media = strings.ToLower(strings.TrimSpace(media))
	}
	t, ok := mediaTypes[media]
	return t, ok
}

// Lines that are neither may come before the first that is: some programs greet
// before they speak, and curl -i tells the head of the answer. So many are waited
// for, and so many looked at if they are there.
const (
	noiseLines       = 8
	noiseLinesAtHand = 64
)

// ByFirstBytes tells by the first bytes of a stream what cuts it: SSE if a line
// that is a comment or a field of an event comes before any JSON, or else lines.
// It is not sure as long as more bytes could change the answer.
func ByFirstBytes(head []byte) (t schema.Transport, sure bool) {
	const mark = "\xef\xbb\xbf"
	if len(head) < len(mark) && strings.HasPrefix(mark, string(head)) {
		return schema.NDJSON, false
	}
	head = bytes.TrimPrefix(head, []byte(mark))
	for noise := 0; noise < noiseLinesAtHand; noise++ {
		head = bytes.TrimLeft(head, " \t\r\n")
		switch {
		case len(head) == 0:
			return schema.NDJSON, noise >= noiseLines
		case isField(head):
			return schema.SSE, true
		case head[0] == '{' || head[0] == '[' || head[0] == '"':
			return schema.NDJSON, true
		}
		i := bytes.IndexAny(head, "\r\n")
		switch {
		case i < 0:
			return schema.NDJSON, noise >= noiseLines
		case wellformed.JSON(head[:i]): // a number, say
			return schema.NDJSON, true
		}
		head = head[i:]
	}
	return schema.NDJSON, true
}

// isField reports whether a line of an event stream begins here.
func isField(line []byte) bool {
	if line[0] == ':' {
		return true
	}
	for _, name := range []string{"data:", "event:", "id:", "retry:"} {
		if bytes.HasPrefix(line, []byte(name)) {
			return true
		}
	}
	return false
}
