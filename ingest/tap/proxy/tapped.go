package proxy

import (
	"errors"
	"io"
	"net/http"

	"tapedeck/schema"
)

// tappedBody is a body that is recorded while it is read.
type tappedBody struct {
	io.ReadCloser
	exchange *exchange
	way      schema.Direction
	from     string             // the sender, for the end reason
	trailers func() http.Header // set once the body has ended
	err      error              // why it ended
}

// Read implements io.Reader. After the end of a body it does not read again: the server may
// close a request's body while the transport still reads.
func (b *tappedBody) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	b.exchange.forwarded() // the previous read has been written since
	n, err := b.ReadCloser.Read(p)
	b.err = err
	if n > 0 {
		if unrecorded := b.exchange.data(b.way, p[:n]); unrecorded != nil {
			return 0, unrecorded
		}
	}
	switch {
	case err == nil:
	case errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
		if unrecorded := b.ended(); unrecorded != nil {
			return 0, unrecorded
		}
	default:
		b.exchange.fail(b.from+" cut the connection", err)
		if unrecorded := b.exchange.end(b.way, false); unrecorded != nil {
			return 0, unrecorded
		}
	}
	return n, err
}

// ended records the end of a complete body.
func (b *tappedBody) ended() error {
	if err := b.exchange.end(b.way, true); err != nil {
		return err
	}
	if h := b.trailers(); sent(h) {
		return b.exchange.note(b.way, b.exchange.proxy.redact.trailers(h))
	}
	return nil
}

// sent returns whether trailers arrived, as opposed to trailers that were only announced.
func sent(trailers http.Header) bool {
	for _, values := range trailers {
		if len(values) > 0 {
			return true
		}
	}
	return false
}

// Close implements io.Closer. A body that is closed early is recorded as incomplete.
func (b *tappedBody) Close() error {
	unrecorded := b.exchange.end(b.way, false)
	return errors.Join(b.ReadCloser.Close(), unrecorded)
}
