package endpoint

import (
	"context"
	"io"
	"net/http"

	"tapedeck/internal/slow"
)

// File is the name and the media type of an answer that is a file.
type File struct{ Name, Media string }

// Stream answers with a file that the function write produces. An error before the first byte is
// answered with a problem; a later error aborts the connection.
func (b *Base) Stream(w http.ResponseWriter, r *http.Request, file File, write func(io.Writer) error) {
	out := &stream{ctx: r.Context(), head: w.Header(), w: slow.NewWriter(w, b.WriteTimeout), file: file}
	err := write(out)
	switch {
	case err != nil && !out.begun:
		b.Fail(w, r, err)
	case err != nil:
		b.Broken(r, err)
	default:
		out.done()
	}
}

// stream sends the header before the first byte of the body. Later errors cannot be answered.
type stream struct {
	ctx   context.Context // of the request
	head  http.Header
	w     *slow.Writer
	file  File
	begun bool // the header is sent
}

func (s *stream) Write(p []byte) (int, error) {
	s.begin()
	n, err := s.w.Write(p)
	if err == nil {
		err = s.ctx.Err()
	}
	return n, err
}

func (s *stream) begin() {
	if s.begun {
		return
	}
	s.begun = true
	h := s.head
	h.Set("Content-Disposition", `attachment; filename="`+s.file.Name+`"`)
	h.Set("Content-Type", s.file.Media)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
}

// done ends an answer, which may be empty. The server detects a failed connection itself.
func (s *stream) done() {
	s.begin()
	_ = s.w.Close()
}
