package proxy

import (
	"mime"
	"net/http"
	"strings"

	"tapedeck/ingest"
	"tapedeck/ingest/framing/eventstream"
	"tapedeck/ingest/framing/multipart"
	"tapedeck/ingest/framing/ndjson"
	"tapedeck/ingest/framing/sse"
	"tapedeck/internal/contentcoding"
	"tapedeck/schema"
)

// body splits the bytes of one direction into frames.
type body struct {
	framer  ingest.Framer
	coding  string                 // the Content-Encoding to decode, "" for none
	decoder *contentcoding.Decoder // nil before the first byte and without coding
	plain   []byte                 // buffer for the decoded bytes of a read
	closing bool                   // the close frame of a WebSocket was recorded
}

// plainSize bounds the decoded bytes that are split at a time. The decoded bytes of one
// read count as one read up to this size.
const plainSize = 256 << 10

// newBody returns the body that header fields describe.
func (p *Proxy) newBody(h http.Header) *body {
	coded := strings.TrimSpace(strings.Join(h.Values("Content-Encoding"), ","))
	switch {
	case coded == "" || strings.EqualFold(coded, "identity"):
		return &body{framer: p.framer(h)}
	case p.opts.KeepCoding || !contentcoding.Known(coded):
		return &body{framer: newReadFramer()}
	}
	return &body{framer: p.framer(h), coding: coded}
}

const formType = "application/x-www-form-urlencoded"

// newRequestBody returns the body of a request.
func (p *Proxy) newRequestBody(h http.Header) *body {
	b := p.newBody(h)
	if boundary := multipart.Boundary(h.Get("Content-Type")); boundary != "" {
		b.framer = multipart.NewFramer(boundary, p.opts.FrameLimit, p.redact.ByName)
		return b
	}
	mask := p.redact.Body
	switch media, _, _ := mime.ParseMediaType(h.Get("Content-Type")); {
	case media == formType:
		mask = p.redact.Form
	case isUntyped(media):
		b.framer = newUntypedFramer(redacting(newBodyFramer(p.opts.FrameLimit), mask))
		return b
	}
	b.framer = redacting(b.framer, mask)
	return b
}

// isUntyped reports whether a media type says nothing about the format of a request body.
func isUntyped(media string) bool {
	return media == "" || media == "text/plain" || media == "application/octet-stream"
}

// newResponseBody returns the body of a response.
func (p *Proxy) newResponseBody(h http.Header) *body {
	b := p.newBody(h)
	b.framer = redacting(b.framer, p.redact.Answer)
	return b
}

// redacting returns a framer that masks secrets by their names in bodies and lines of JSON, and the
// framer itself for other bodies.
func redacting(framer ingest.Framer, mask func(*schema.Frame)) ingest.Framer {
	switch framer.(type) {
	case *bodyFramer:
		return &redactingFramer{Framer: framer, mask: mask, whole: true}
	case *ndjson.Framer:
		return &redactingFramer{Framer: framer, mask: mask}
	}
	return framer
}

// framer returns the framer for a media type.
func (p *Proxy) framer(h http.Header) ingest.Framer {
	media, _, _ := strings.Cut(h.Get("Content-Type"), ";")
	media = strings.ToLower(strings.TrimSpace(media))
	switch media {
	case "text/event-stream":
		return sse.NewFramer(p.opts.FrameLimit)
	case "application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonl",
		"application/jsonlines", "application/x-jsonlines", "application/json-lines",
		"application/json-seq", "application/stream+json", "application/x-json-stream":
		return ndjson.NewFramer(p.opts.FrameLimit)
	case "application/vnd.amazon.eventstream":
		return eventstream.NewFramer(p.opts.FrameLimit)
	case "application/json", formType:
		return newBodyFramer(p.opts.FrameLimit)
	}
	if strings.HasSuffix(media, "+json") {
		return newBodyFramer(p.opts.FrameLimit)
	}
	return newReadFramer()
}

// write splits the bytes of one read. It calls note with a message for users.
func (b *body) write(p []byte, at int64, emit func(*schema.Frame) error, note func(string) error) error {
	if b.coding == "" {
		return b.framer.Split(p, at, emit)
	}
	if b.decoder == nil {
		b.decoder = contentcoding.New(b.coding)
	}
	cut := func() error {
		whole := b.plain
		b.plain = b.plain[:0]
		if len(whole) == 0 {
			return nil
		}
		return b.framer.Split(whole, at, emit)
	}
	var failed error // an error of the recorder, not of the bytes
	err := b.decoder.Decode(p, func(out []byte) error {
		b.plain = append(b.plain, out...)
		if len(b.plain) >= plainSize {
			failed = cut()
		}
		return failed
	})
	if failed == nil {
		failed = cut()
	}
	if failed != nil || err == nil {
		return failed
	}
	return b.stopDecoding(p, at, err, emit, note)
}

// stopDecoding continues without decoding after decoding has failed.
func (b *body) stopDecoding(p []byte, at int64, why error, emit func(*schema.Frame) error, note func(string) error) error {
	if err := b.framer.End(at, marked(emit)); err != nil {
		return err
	}
	if err := note("cannot decode " + b.coding + ": " + why.Error() + "; what follows is recorded undecoded, from the read that failed on"); err != nil {
		return err
	}
	b.stop()
	b.coding, b.framer = "", newReadFramer()
	return b.framer.Split(p, at, emit)
}

// end ends the body; whole reports that it is complete.
func (b *body) end(at int64, whole bool, emit func(*schema.Frame) error) error {
	defer b.stop()
	if b.decoder != nil {
		var failed error
		err := b.decoder.End(func(out []byte) error {
			failed = b.framer.Split(out, at, emit)
			return failed
		})
		if failed != nil {
			return failed
		}
		whole = whole && err == nil
	}
	if !whole {
		emit = marked(emit)
	}
	return b.framer.End(at, emit)
}

// stop releases the decoder.
func (b *body) stop() {
	if b.decoder != nil {
		b.decoder.Stop()
		b.decoder = nil
	}
}

// marked returns an emit function that marks the rest of a body that was cut off.
func marked(emit func(*schema.Frame) error) func(*schema.Frame) error {
	return func(f *schema.Frame) error {
		f.Flags |= schema.FlagUnterminated
		return emit(f)
	}
}
