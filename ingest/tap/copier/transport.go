// Package copier copies a byte stream into a recording: it reads, timestamps each read, splits the
// bytes into frames, and records the frames.
package copier

import (
	"bytes"
	"fmt"
	"mime"
	"strings"

	"tapedeck/ingest"
	"tapedeck/ingest/framing/eventstream"
	"tapedeck/ingest/framing/ndjson"
	"tapedeck/ingest/framing/sse"
	"tapedeck/internal/wellformed"
	"tapedeck/schema"
)

// NewFramer returns the framer for a transport that is a byte stream. limit is the frame limit in
// bytes, 0 for ingest.DefaultFrameLimit. NewFramer panics for any other transport.
func NewFramer(t schema.Transport, limit int) ingest.Framer {
	switch t {
	case schema.NDJSON:
		return ndjson.NewFramer(limit)
	case schema.SSE:
		return sse.NewFramer(limit)
	case schema.EventStream:
		return eventstream.NewFramer(limit)
	}
	panic(fmt.Sprintf("transport %s is not a byte stream", t))
}

// mediaTypes maps media types to the framing of the body. It includes application/json because most
// bodies of this type are lines, and the framer keeps a value that is printed on several lines
// together.
var mediaTypes = map[string]schema.Transport{
	"text/event-stream":       schema.SSE,
	"application/x-ndjson":    schema.NDJSON,
	"application/ndjson":      schema.NDJSON,
	"application/jsonl":       schema.NDJSON,
	"application/x-jsonl":     schema.NDJSON,
	"application/jsonlines":   schema.NDJSON,
	"application/x-jsonlines": schema.NDJSON,
	"application/json":        schema.NDJSON,

	"application/vnd.amazon.eventstream": schema.EventStream,
}

// ByContentType returns the transport that a Content-Type header value names. ok is false if the
// media type does not determine one.
func ByContentType(value string) (schema.Transport, bool) {
	media, _, err := mime.ParseMediaType(value)
	if err != nil { // also for an invalid parameter, which does not matter here
		media, _, _ = strings.Cut(value, ";")
		media = strings.ToLower(strings.TrimSpace(media))
	}
	t, ok := mediaTypes[media]
	return t, ok
}

// Other lines may precede the first line that decides: some programs print a greeting, and curl -i
// prints the response head. noiseLines is how many lines detection waits for, noiseLinesAtHand how
// many it skips if they have arrived.
const (
	noiseLines       = 8
	noiseLinesAtHand = 64
)

// ByFirstBytes detects the transport from the first bytes of a stream. It is SSE if a comment line
// or a field of an event precedes any JSON and any NUL. It is an event stream if the bytes are the
// beginning of a message of an event stream. Otherwise it is NDJSON. sure is false while more bytes
// could change the result.
func ByFirstBytes(head []byte) (t schema.Transport, sure bool) {
	// No event stream message is long enough for its length to begin with another byte.
	if len(head) > 0 && head[0] == 0 {
		switch {
		case len(head) < schema.EventPrelude:
			return schema.NDJSON, false
		case eventstream.Begins(head[:schema.EventPrelude]):
			return schema.EventStream, true
		}
	}
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
		i := bytes.IndexAny(head, "\r\n\x00")
		switch {
		case i >= 0 && head[i] == 0: // not text
			return schema.NDJSON, true
		case i < 0:
			return schema.NDJSON, noise >= noiseLines
		case wellformed.JSON(head[:i]): // for example, a number
			return schema.NDJSON, true
		}
		head = head[i:]
	}
	return schema.NDJSON, true
}

// isField reports whether the line is a comment or a field of an event stream.
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
