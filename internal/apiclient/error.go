package apiclient

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
)

// Error is a problem (RFC 9457) in a server's answer.
type Error struct {
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail"`
	Hint   string `json:"hint"`
	// Parameter is the invalid parameter; Allowed lists its valid values.
	Parameter string   `json:"parameter"`
	Allowed   []string `json:"allowed"`
}

// Error implements error. It names a parameter of the API by the command's flag.
func (e *Error) Error() string {
	text := e.Detail
	if text == "" {
		text = e.Title
	}
	for _, name := range []string{e.Parameter, "place"} {
		if rest, ok := strings.CutPrefix(text, name+" "); ok && e.Parameter != "" {
			text = "--" + strings.ReplaceAll(e.Parameter, "_", "-") + " " + rest
			break
		}
	}
	if slices.ContainsFunc(e.Allowed, func(value string) bool { return !strings.Contains(text, value) }) {
		text += "\nAllowed: " + strings.Join(e.Allowed, ", ")
	}
	if e.Hint != "" {
		text += "\n" + e.Hint
	}
	return text
}

// Refusal returns the error for an answer whose status is not 2xx.
func (c *Client) Refusal(resp *http.Response, path string) error {
	body, err := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	if err != nil {
		return fmt.Errorf("server answered %s: %w", resp.Status, err)
	}
	if kind, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";"); kind == "text/html" {
		return &Error{
			Status: resp.StatusCode,
			Detail: fmt.Sprintf("%s answered %s with a page: it is no tapedeck server, or another server stands before it", c.Base, resp.Status),
			Hint:   "Name the tapedeck server with --server or TAPEDECK_SERVER.",
		}
	}
	e := &Error{Status: resp.StatusCode}
	if json.Unmarshal(body, e) != nil || e.Title == "" && e.Detail == "" {
		return fmt.Errorf("server answered %s: %s", resp.Status, strings.TrimSpace(string(body)))
	}
	if e.Status == http.StatusNotFound && c.Hint != nil {
		if hint := c.Hint(strings.TrimPrefix(path, "/")); hint != "" {
			e.Hint = hint
		}
	}
	return e
}
