package proxy

import (
	"errors"
	"io"
	"net/http"

	"tapedeck/schema"
)

// tappedBody is a body with an ear on it.
type tappedBody struct {
	io.ReadCloser
	exchange *exchange
	way      schema.Direction
	from     string             // who sends it, for the end reason
	trailers func() http.Header // known once the body has ended
	err      error              // how it ended
}

// Read implements io.Reader. Once a body has ended it is left alone: that of a
// request may be closed by the server while the transport still looks for more.
func (b *tappedBody) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	b.exchange.passed() // what was read before was written since
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

// ended records the proper end.
func (b *tappedBody) ended() error {
	if err := b.exchange.end(b.way, true); err != nil {
		return err
	}
	if h := b.trailers(); sent(h) {
		return b.exchange.note(b.way, b.exchange.proxy.redact.trailers(h))
	}
	return nil
}

// sent tells trailers that came from those that were only announced.
func sent(trailers http.Header) bool {
	for _, values := range trailers {
		if len(values) > 0 {
			return true
		}
	}
	return false
}

// Close implements io.Closer. A body that is closed early is not wanted any more.
func (b *tappedBody) Close() error {
	unrecorded := b.exchange.end(b.way, false)
	return errors.Join(b.ReadCloser.Close(), unrecorded)
}
