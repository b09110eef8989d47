package slow

import (
	"cmp"
	"errors"
	"io"
	"net/http"
	"os"
	"time"
)

// BodyTimeout is the default of how long a small body may take to arrive.
const BodyTimeout = time.Minute

// Body is the body of a request that has to be there in time.
type Body struct {
	io.ReadCloser
	control *http.ResponseController
}

// Within bounds how long the body of a request may take to arrive from now on; 0 is BodyTimeout.
// The caller calls End once it has read the body.
func Within(w http.ResponseWriter, r *http.Request, timeout time.Duration) *Body {
	b := &Body{r.Body, http.NewResponseController(w)}
	_ = b.control.SetReadDeadline(time.Now().Add(cmp.Or(timeout, BodyTimeout))) // tests of handlers have none
	return b
}

// Read implements io.Reader.
func (b *Body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		clients.WithLabelValues("body-timeout").Inc()
	}
	return n, err
}

// End removes the deadline.
func (b *Body) End() { _ = b.control.SetReadDeadline(time.Time{}) }
