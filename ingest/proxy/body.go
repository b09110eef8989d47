package proxy

import (
	"net/http"
	"strings"

	"tapedeck/ingest"
	"tapedeck/ingest/framing/ndjson"
	"tapedeck/ingest/framing/sse"
	"tapedeck/internal/contentcoding"
	"tapedeck/schema"
)

// body makes frames of the bytes of one direction.
type body struct {
	framer  ingest.Framer
	coding  string                 // to be undone before cutting, "" for none
	decoder *contentcoding.Decoder // nil before the first byte and without coding
	plain   []byte                 // scratch: what a read was decoded to
	closing bool                   // the close frame of a WebSocket was noted
}

// plainSize is how much decoded data is handed on at a time at most, bytes:
// what one read is decoded to counts as one read up to this.
const plainSize = 256 << 10

// newBody tells from header fields what a body is.
func (p *Proxy) newBody(h http.Header) *body {
	coded := strings.TrimSpace(strings.Join(h.Values("Content-Encoding"), ","))
	switch {
	case coded == "" || strings.EqualFold(coded, "identity"):
		return &body{framer: p.framer(h)}
	case p.opts.KeepCoding || !contentcoding.Known(coded):
		return &body{framer: newPieces()}
	}
	return &body{framer: p.framer(h), coding: coded}
}

// newRequestBody is newBody for what a client sends.
func (p *Proxy) newRequestBody(h http.Header) *body {
	b := p.newBody(h)
	if w, ok := b.framer.(*whole); ok {
		b.framer = &secretive{whole: w, redact: p.redact}
	}
	return b
}

// framer chooses by media type.
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
	case "application/json":
		return newWhole(p.opts.FrameLimit)
	}
	if strings.HasSuffix(media, "+json") {
		return newWhole(p.opts.FrameLimit)
	}
	return newPieces()
}

// write takes the bytes of one read. note is told what people should know.
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
	var failed error // of the recorder, not of the bytes
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
	return b.giveUp(p, at, err, emit, note)
}

// giveUp goes on without decoding, where that failed.
func (b *body) giveUp(p []byte, at int64, why error, emit func(*schema.Frame) error, note func(string) error) error {
	if err := b.framer.End(at, marked(emit)); err != nil {
		return err
	}
	if err := note("cannot decode " + b.coding + ": " + why.Error() + "; what follows is as it came, from the read on that failed"); err != nil {
		return err
	}
	b.stop()
	b.coding, b.framer = "", newPieces()
	return b.framer.Split(p, at, emit)
}

// end says that no more will come; whole that the body is complete.
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

// stop gives back what the body holds.
func (b *body) stop() {
	if b.decoder != nil {
		b.decoder.Stop()
		b.decoder = nil
	}
}

// marked marks what is left of a body that was cut off.
func marked(emit func(*schema.Frame) error) func(*schema.Frame) error {
	return func(f *schema.Frame) error {
		f.Flags |= schema.FlagUnterminated
		return emit(f)
	}
}
