package sessionframes

import (
	"cmp"
	"context"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"tapedeck/internal/problem"
	"tapedeck/internal/slow"
	"tapedeck/query/endpoint"
	"tapedeck/schema"
)

const ndjson = "application/x-ndjson"

const pageFrames, mostFrames = 200, 5000 // frames on a page: default and maximum

var directions = []string{schema.Receive.String(), schema.Send.String()}

// Handler serves the routes of frames.
type Handler struct{ *endpoint.Base }

// Frames serves GET /v1/sessions/{id}/frames.
func (h Handler) Frames(w http.ResponseWriter, r *http.Request, tenant, session string) {
	p := endpoint.NewParams(r)
	q := Query{Tenant: tenant, Session: session, Filter: filter(p)}
	raw := p.Flag("raw")
	q.Limit = p.Number("limit", pageFrames, 1, mostFrames)
	if raw && p.Has("limit") {
		p.Refuse("limit", p.Value("limit"), "does not go with raw=1, which returns all frames from the cursor on",
			"left out")
	}
	if cursor := p.Text("cursor"); cursor != "" {
		position, err := schema.ParsePosition(cursor)
		if err != nil {
			p.Refuse("cursor", cursor, "is not a position", `the value of "next" on the page before`,
				"the position of a frame")
		}
		q.After = position
	}
	if err := p.Done(); err != nil {
		h.Fail(w, r, err)
		return
	}
	if raw {
		h.rawFrames(w, r, q)
		return
	}
	page, err := Read(r.Context(), h.Reader, q)
	h.Answer(w, r, page, err)
}

// rawFrames answers with the recorded bytes only. Unless a direction is requested, these are the
// bytes that the client of the recorded streams received. Heads of HTTP messages are left out. A
// WebSocket message, which has no terminator of its own, is followed by a line feed. If an answer
// fails half way, its HTTP body is left incomplete, so that the client notices. A body that is not
// a stream and does not end in a line feed is followed by one if bytes of another stream follow.
func (h Handler) rawFrames(w http.ResponseWriter, r *http.Request, q Query) {
	if !accepts(r, ndjson) {
		h.Fail(w, r, &problem.Problem{
			Status: http.StatusNotAcceptable, Parameter: "Accept", Allowed: []string{ndjson},
			Detail: "raw=1 returns the recorded bytes as " + ndjson + ", which this request does not accept.",
		})
		return
	}
	q.Bytes = true
	if len(q.Directions) == 0 {
		q.Directions = []string{schema.Receive.String()}
	}
	out := newRawWriter(r.Context(), w, h.WriteTimeout)
	err := ReadRaw(r.Context(), h.Reader, q, out.frame)
	switch {
	case err != nil && !out.begun:
		h.Fail(w, r, err)
	case err != nil:
		h.Broken(r, err)
	default:
		if err := out.flush(); err != nil {
			h.Broken(r, err)
		}
	}
}

// rawWriter gathers frames into larger writes.
type rawWriter struct {
	ctx   context.Context // of the request
	head  http.ResponseWriter
	w     *slow.Writer
	buf   []byte
	begun bool // the header is sent
	// open identifies the stream and direction of a body whose last line has not ended.
	open string
}

const rawWriteSize = 256 << 10

func newRawWriter(ctx context.Context, w http.ResponseWriter, timeout *slow.Timeout) *rawWriter {
	return &rawWriter{ctx: ctx, head: w, w: slow.NewWriter(w, timeout)}
}

func (o *rawWriter) frame(f *RawFrame) error {
	whose := f.Stream + f.Direction
	if o.open != "" && (o.open != whose || f.Transport != schema.HTTP) {
		o.buf = append(o.buf, '\n')
	}
	o.buf, o.open = append(o.buf, f.Raw...), ""
	switch {
	case f.Transport == schema.WebSocket:
		o.buf = append(o.buf, '\n')
	case f.Transport == schema.HTTP && !strings.HasSuffix(f.Raw, "\n"):
		o.open = whose
	}
	if len(o.buf) < rawWriteSize {
		return nil
	}
	return o.flush()
}

// flush sends the gathered bytes, and the header before the first of them.
func (o *rawWriter) flush() error {
	if !o.begun {
		o.begun = true
		o.head.Header().Set("Content-Type", ndjson)
		o.head.Header().Set("Cache-Control", "no-store")
		o.head.Header().Set("X-Content-Type-Options", "nosniff")
		o.head.WriteHeader(http.StatusOK)
	}
	if _, err := o.w.Write(o.buf); err != nil {
		return err
	}
	o.buf = o.buf[:0]
	return o.ctx.Err()
}

// accepts reports whether the client accepts the media type.
func accepts(r *http.Request, media string) bool {
	header := strings.Join(r.Header.Values("Accept"), ",")
	if strings.TrimSpace(header) == "" {
		return true
	}
	kind, _, _ := strings.Cut(media, "/")
	for item := range strings.SplitSeq(header, ",") {
		m, attrs, err := mime.ParseMediaType(strings.TrimSpace(item))
		if err != nil || m != media && m != "*/*" && m != kind+"/*" {
			continue
		}
		if weight, err := strconv.ParseFloat(cmp.Or(attrs["q"], "1"), 64); err == nil && weight > 0 {
			return true
		}
	}
	return false
}
