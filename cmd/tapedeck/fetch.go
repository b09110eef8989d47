package main

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
)

// fetch reads an answer of the API: with --json it is printed as it came, and
// done is true; otherwise it is read into v.
func (g *global) fetch(ctx context.Context, path string, q url.Values, v any) (done bool, err error) {
	c, err := g.client()
	if err != nil {
		return false, err
	}
	if !g.JSON {
		return false, c.get(ctx, path, q, v)
	}
	return true, c.copy(ctx, path, q, "application/json", os.Stdout)
}

// copy prints an answer of the API as it comes.
func (c *apiClient) copy(ctx context.Context, path string, q url.Values, accept string, w io.Writer) error {
	body, err := c.open(ctx, http.MethodGet, path, q, accept)
	if err != nil {
		return err
	}
	defer body.Close()
	_, err = io.Copy(w, body)
	return err
}

// setAll adds the parameters that are not empty.
func setAll(q url.Values, params map[string][]string) {
	for name, values := range params {
		for _, v := range values {
			if v != "" {
				q.Add(name, v)
			}
		}
	}
}

func joined(list []string) string { return strings.Join(list, ",") }
