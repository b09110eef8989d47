package otlphttp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"tapedeck/ingest"
	"tapedeck/internal/budget"
	"tapedeck/internal/contentcoding"
	"tapedeck/internal/problem"
)

const (
	binaryType = "application/x-protobuf"
	jsonType   = "application/json"
)

var allowedCodings = []string{"gzip", "zstd"}

func mediaType(r *http.Request) string {
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return media
}

func isJSON(r *http.Request) bool { return mediaType(r) == jsonType }

// checkHead returns the Content-Encoding of a request, "" for none.
func checkHead(r *http.Request) (coding string, bad *problem.Problem) {
	if media := mediaType(r); media != binaryType && media != jsonType {
		return "", &problem.Problem{
			Status: http.StatusUnsupportedMediaType, Detail: fmt.Sprintf("The Content-Type %q is not one of OTLP.", media),
			Hint: "Send " + binaryType + " or " + jsonType + ".",
		}
	}
	coding = strings.ToLower(strings.TrimSpace(strings.Join(r.Header.Values("Content-Encoding"), ",")))
	if coding == "" || coding == "identity" {
		return "", nil
	}
	if !slices.Contains(allowedCodings, coding) {
		return "", &problem.Problem{
			Status: http.StatusUnsupportedMediaType, Detail: fmt.Sprintf("The Content-Encoding %q is not supported.", coding),
			Hint: "Send " + problem.OneOf(allowedCodings...) + ", or no Content-Encoding.",
		}
	}
	return coding, nil
}

const (
	// chargedFrom is the size of a body, bytes, from which on it is charged.
	chargedFrom = 256 << 10
	// copies is how often a body is in memory at the most: as it arrived, parsed, divided, in its
	// block and as an encoded block.
	copies = 6
)

// read reads the body and undoes its encoding.
func (h *Handler) read(w http.ResponseWriter, r *http.Request, coding string, grant *budget.Grant) ([]byte, *problem.Problem) {
	// Without a connection, as in tests of handlers, setting deadlines fails.
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(h.opts.BodyTimeout))
	b := &body{limit: h.opts.Limits.Frame, grant: grant, ctx: r.Context()}
	err := b.readFrom(r.Body, coding)
	if err == nil {
		return b.data, nil
	}
	// The rest of the body is not read.
	if r.ProtoMajor == 1 {
		w.Header().Set("Connection", "close")
	}
	_ = control.SetReadDeadline(time.Now().Add(time.Second))
	return nil, h.unread(err)
}

// unread returns the response for a body that could not be read.
func (h *Handler) unread(err error) *problem.Problem {
	if p, ok := errors.AsType[*problem.Problem](err); ok {
		return p
	}
	if limit, ok := errors.AsType[*ingest.LimitError](err); ok {
		return tooLarge(limit.Error())
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return &problem.Problem{
			Status: http.StatusRequestTimeout, Detail: fmt.Sprintf("The body did not arrive within %v.", h.opts.BodyTimeout),
		}
	}
	return badRequest("The body cannot be read: " + err.Error() + ".")
}

func tooLarge(detail string) *problem.Problem {
	return &problem.Problem{
		Status: http.StatusRequestEntityTooLarge, Detail: detail + ".",
		Hint: "Send smaller batches, for example with OTEL_BSP_MAX_EXPORT_BATCH_SIZE, or start the server with a higher limit.",
	}
}

// body collects the decoded bytes of a body.
type body struct {
	data    []byte
	limit   int
	grant   *budget.Grant
	ctx     context.Context // ends a wait for memory
	charged int
}

func (b *body) readFrom(r io.Reader, coding string) error {
	if coding == "" {
		return copyTo(r, b.add)
	}
	decoder := contentcoding.New(coding)
	defer decoder.Stop()
	if err := copyTo(r, func(p []byte) error { return decoder.Decode(p, b.add) }); err != nil {
		return err
	}
	return decoder.End(b.add)
}

func copyTo(r io.Reader, add func([]byte) error) error {
	buf := make([]byte, 32<<10)
	for {
		n, err := r.Read(buf)
		if n > 0 {
			if err := add(buf[:n]); err != nil {
				return err
			}
		}
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
	}
}

func (b *body) add(p []byte) error {
	size := len(b.data) + len(p)
	if size > b.limit {
		return ingest.Exceeded("--max-frame-bytes", "the request has more than %d bytes", b.limit)
	}
	if size >= chargedFrom && size > b.charged {
		to := min(max(2*b.charged, 2*chargedFrom, size), b.limit)
		if err := b.grant.Need(b.ctx, int64(copies*(to-b.charged))); err != nil {
			return err
		}
		b.charged = to
	}
	b.data = append(b.data, p...)
	return nil
}
