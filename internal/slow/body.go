package slow

import (
	"errors"
	"io"
	"net/http"
	"os"
	"time"
)

// BodyTimeout is the default time within which a small body must arrive.
const BodyTimeout = time.Minute

// Body is the body of a request that must arrive in time.
type Body struct {
	io.ReadCloser
	control *http.ResponseController
	timeout time.Duration
	whole   bool // the body was read to its end
}

// Within bounds how long the body of a request may take to arrive, beginning now; the default is
// BodyTimeout. The caller calls End at the end of the request.
func Within(w http.ResponseWriter, r *http.Request, timeout *Timeout) *Body {
	b := &Body{ReadCloser: r.Body, control: http.NewResponseController(w), timeout: timeout.Or(BodyTimeout)}
	b.begin()
	return b
}

// Read implements io.Reader.
func (b *Body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		clients.WithLabelValues("body-timeout").Inc()
	}
	if err == io.EOF && !b.whole {
		b.whole = true
		b.Free() // the answer may take longer
	}
	return n, err
}

// Whole reports whether the body was read to its end.
func (b *Body) Whole() bool { return b.whole }

// Free removes the bound, for a body that may pause.
func (b *Body) Free() { _ = b.control.SetReadDeadline(time.Time{}) }

// End bounds the wait for the unread rest of the body, which net/http reads before it sends the
// answer. net/http sets new deadlines for the next request.
func (b *Body) End() {
	if !b.whole {
		b.begin()
	}
}

// begin sets the deadline. Setting it fails in tests of handlers, which have no connection.
func (b *Body) begin() { _ = b.control.SetReadDeadline(time.Now().Add(b.timeout)) }
