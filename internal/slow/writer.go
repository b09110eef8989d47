package slow

import (
	"errors"
	"net/http"
	"os"
	"time"
)

// WriteTimeout is the default time that a client may take to accept one write.
const WriteTimeout = 30 * time.Second

// pieceSize is the number of bytes that are written under one deadline.
const pieceSize = 256 << 10

// Writer writes an answer of any length. It sets a deadline for each piece, so that a client that
// reads slowly receives the whole answer, and a client that does not read is disconnected.
type Writer struct {
	w       http.ResponseWriter
	control *http.ResponseController
	timeout time.Duration
	err     error // error of a write to the client
}

// NewWriter returns a writer. The default of the timeout is WriteTimeout.
func NewWriter(w http.ResponseWriter, timeout *Timeout) *Writer {
	return &Writer{w: w, control: http.NewResponseController(w), timeout: timeout.Or(WriteTimeout)}
}

// Write implements io.Writer.
func (w *Writer) Write(p []byte) (n int, err error) {
	defer w.clear() // in HTTP/2 a deadline also ends the answer between two writes
	for {
		w.begin()
		wrote, err := w.w.Write(p[:min(len(p), pieceSize)])
		n += wrote
		if err != nil {
			return n, w.failed(err)
		}
		if p = p[wrote:]; len(p) == 0 {
			return n, nil
		}
	}
}

func (w *Writer) failed(err error) error {
	w.err = err
	if errors.Is(err, os.ErrDeadlineExceeded) {
		clients.WithLabelValues("write-timeout").Inc()
	}
	return err
}

// Err returns the error of the first write that failed.
func (w *Writer) Err() error { return w.err }

// begin sets the deadline for a write, and clear removes it. Errors of servers without deadlines,
// as in tests, are ignored.
func (w *Writer) begin() { _ = w.control.SetWriteDeadline(time.Now().Add(w.timeout)) }
func (w *Writer) clear() { _ = w.control.SetWriteDeadline(time.Time{}) }

// End calls a function that writes the rest of an answer after its handler, under one deadline. The
// deadline also bounds what net/http itself then sends, which removes it.
func (w *Writer) End(rest func() error) error {
	w.begin()
	if err := rest(); err != nil {
		return w.failed(err)
	}
	return nil
}

// Close sends the buffered bytes. It is not needed for an answer that ends with its handler.
func (w *Writer) Close() error {
	defer w.clear()
	w.begin()
	if err := w.control.Flush(); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return w.failed(err)
	}
	return nil
}
