package login

import (
	"fmt"
	"io"
	"net/http"
)

// answerLimit bounds the body of an answer of the provider, bytes. The libraries that read the
// provider's description, keys, tokens and claims have no limit of their own.
const answerLimit = 1 << 20

// bounded is a transport that limits the bodies of answers to answerLimit bytes. Reading beyond the
// limit is an error.
type bounded struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := b.next.RoundTrip(r)
	if err == nil {
		answer.Body = &boundedBody{ReadCloser: answer.Body, left: answerLimit}
	}
	return answer, err
}

// boundedBody is the body of an answer of a bounded transport.
type boundedBody struct {
	io.ReadCloser
	left int
}

// Read implements io.Reader.
func (b *boundedBody) Read(p []byte) (int, error) {
	if len(p) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.ReadCloser.Read(p)
	if n > b.left {
		return 0, fmt.Errorf("the answer has more than %d bytes", answerLimit)
	}
	b.left -= n
	return n, err
}
