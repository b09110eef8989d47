package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
)

// Get reads a JSON answer of the API into v. An answer beyond responseLimit is an error before it is read whole, over
// the network as in process.
func (c *call) Get(ctx context.Context, path string, query url.Values, v any) error {
	body, err := c.Open(ctx, http.MethodGet, path, query, "application/json")
	if err != nil {
		return err
	}
	defer body.Close()
	return decodeLimited(body, v)
}

// decodeLimited decodes JSON of at most responseLimit bytes.
func decodeLimited(body io.Reader, v any) error {
	err := json.NewDecoder(&limitedReader{body, responseLimit}).Decode(v)
	if err != nil && !errors.Is(err, errTooLarge) {
		err = fmt.Errorf("read the answer of the API: %w", err)
	}
	return err
}

// limitedReader returns errTooLarge instead of more bytes than are left.
type limitedReader struct {
	io.Reader
	left int
}

// Read implements io.Reader.
func (r *limitedReader) Read(p []byte) (int, error) {
	if r.left <= 0 {
		return 0, errTooLarge
	}
	n, err := r.Reader.Read(p[:min(len(p), r.left)])
	r.left -= n
	return n, err
}

// of returns the arguments of a call of another tool on a session, at the same moment.
func (c *call) of(session, asOf string) map[string]any {
	arguments := map[string]any{"session": session}
	if asOf != "" {
		arguments["as_of"] = asOf
	}
	return arguments
}
