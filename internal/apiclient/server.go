package apiclient

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"

	"tapedeck/internal/problem"
)

// description is in the first lines of a tapedeck server's /openapi.yaml, which are read up to
// descriptionSize bytes.
const (
	description     = "\n  title: tapedeck\n"
	descriptionSize = 4 << 10
)

// CheckServer returns an error unless an answer is a tapedeck server's. Earlier servers send no
// problem.ServerHeader, and a proxy may remove it: then the server is asked once for the
// description of its API.
func (c *Client) CheckServer(ctx context.Context, resp *http.Response) error {
	if resp.Header.Get(problem.ServerHeader) != "" || resp.Header.Get(problem.StartingHeader) != "" || c.known.Load() {
		return nil
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.URL("openapi.yaml", nil), nil)
	if err != nil {
		return err
	}
	described, err := c.send(req, "application/yaml")
	if err != nil {
		return err
	}
	defer described.Body.Close()
	text, err := io.ReadAll(io.LimitReader(described.Body, descriptionSize))
	if err != nil {
		return fmt.Errorf("read %s: %w", req.URL, err)
	}
	if described.StatusCode != http.StatusOK || !bytes.Contains(text, []byte(description)) {
		return fmt.Errorf("%s does not answer as a tapedeck server: name one with --server or TAPEDECK_SERVER", c.Base)
	}
	c.known.Store(true)
	return nil
}
