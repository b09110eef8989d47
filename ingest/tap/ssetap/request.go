package ssetap

import (
	"bytes"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"

	"tapedeck/ingest"
	"tapedeck/ingest/framing"
	"tapedeck/ingest/framing/multipart"
	"tapedeck/ingest/redact"
	"tapedeck/internal/secrets"
	"tapedeck/schema"
)

// asked is a request that is recorded with its answer, as the proxy records an exchange: an
// emulation then answers the same request, and a dialect reads what was asked. A GET, which is
// repeated after each cut, is not recorded.
type asked struct {
	at      int64 // ns
	request *http.Request
	names   *redact.ByName
}

// ask returns the request to record, nil for a GET.
func (t *tap) ask(request *http.Request) *asked {
	if request.Method == http.MethodGet {
		return nil
	}
	return &asked{time.Now().UnixNano(), request, redact.NewByName(nil, nil, !t.rec.Redacts())}
}

// source returns the source of the stream.
func (a *asked) source() string {
	u := *a.request.URL
	u.User, u.Fragment = nil, ""
	return a.request.Method + " " + a.names.URL(u.String())
}

// record records the request and the head of its answer. decoded is the coding of a body that is
// recorded decoded.
func (a *asked) record(answer *http.Response, body []byte, decoded string, limit int, record func(*schema.Frame) error) error {
	sent := func(f *schema.Frame) error {
		f.Direction = schema.Send
		return record(f)
	}
	r := a.request
	head := []byte(r.Method + " " + a.names.URL(r.URL.RequestURI()) + " HTTP/1.1\r\nHost: " + r.Host + "\r\n")
	if err := note(a.fields(head, r.Header, ""), a.at, sent); err != nil {
		return err
	}
	if err := a.body(body, limit, sent); err != nil {
		return err
	}
	return note(a.fields([]byte(answer.Proto+" "+answer.Status+"\r\n"), answer.Header, decoded), time.Now().UnixNano(), record)
}

// body records the body of the request.
func (a *asked) body(body []byte, limit int, sent func(*schema.Frame) error) error {
	contentType := a.request.Header.Get("Content-Type")
	if boundary := multipart.Boundary(contentType); boundary != "" {
		framer := multipart.NewFramer(boundary, limit, a.names)
		if err := framer.Split(body, a.at, sent); err != nil {
			return err
		}
		return framer.End(a.at, sent)
	}
	media, _, _ := mime.ParseMediaType(contentType)
	if limit == 0 {
		limit = ingest.DefaultFrameLimit
	}
	for first := true; len(body) > 0; first = false {
		f := &schema.Frame{At: a.at, Transport: schema.HTTP, Raw: bytes.Clone(body[:min(limit, len(body))])}
		body = body[len(f.Raw):]
		if !first || len(body) > 0 {
			f.Flags |= schema.FlagOversize
		}
		switch {
		case !first:
		case media == "application/x-www-form-urlencoded":
			a.names.Form(f)
		default:
			a.names.Body(f)
		}
		if err := sent(f); err != nil {
			return err
		}
	}
	return nil
}

// fields appends header fields for recording, and the blank line.
func (a *asked) fields(b []byte, h http.Header, decoded string) []byte {
	for _, name := range slices.Sorted(maps.Keys(h)) {
		for _, v := range h[name] {
			b = append(b, name+": "+a.names.Field(name, v)+"\r\n"...)
		}
	}
	if decoded != "" {
		b = append(b, "Tapedeck-Decoded: "+decoded+"\r\n"...)
	}
	return append(b, "\r\n"...)
}

// note records a head.
func note(text []byte, at int64, record func(*schema.Frame) error) error {
	flags := schema.FlagNote
	if strings.Contains(string(text), secrets.Mask) {
		flags |= schema.FlagRedacted
	}
	buf := framing.New(schema.HTTP)
	buf.Begin(at)
	return buf.Emit(text, flags, record)
}
