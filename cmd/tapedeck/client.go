package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// apiClient calls a tapedeck server's API.
type apiClient struct {
	base  *url.URL
	token string
	http  *http.Client
}

func (g *global) client() (*apiClient, error) {
	base, err := url.Parse(strings.TrimSuffix(g.Server, "/"))
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return nil, badUsage("--server %q: it must be a URL like http://127.0.0.1:4600", g.Server)
	}
	return &apiClient{base: base, token: g.Token, http: &http.Client{Transport: &http.Transport{
		DialContext:           (&net.Dialer{Timeout: 5 * time.Second}).DialContext,
		ResponseHeaderTimeout: 2 * time.Minute,
		ForceAttemptHTTP2:     true,
	}}}, nil
}

// apiError is an error that the server answered with.
type apiError struct {
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail"`
	Hint   string `json:"hint"`
	// Parameter is at fault; Allowed lists what it may be.
	Parameter string   `json:"parameter"`
	Allowed   []string `json:"allowed"`
}

func (e *apiError) Error() string {
	text := e.Detail
	if text == "" {
		text = e.Title
	}
	// What the API calls a parameter the user knows as a flag.
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

// open sends a request and gives the answer's body, which the caller closes. A
// status other than 2xx is an error.
func (c *apiClient) open(ctx context.Context, method, path string, query url.Values, accept string) (io.ReadCloser, error) {
	u := c.base.JoinPath(path)
	u.RawQuery = query.Encode()
	req, err := http.NewRequestWithContext(ctx, method, u.String(), nil)
	if err != nil {
		return nil, err
	}
	c.authorize(req.Header)
	req.Header.Set("Accept", accept)
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, c.unreachable(err)
	}
	if resp.StatusCode/100 == 2 {
		return resp.Body, nil
	}
	defer resp.Body.Close()
	return nil, answered(resp, path)
}

func (c *apiClient) authorize(h http.Header) {
	if c.token != "" {
		h.Set("Authorization", "Bearer "+c.token)
	}
}

// answered gives the error that a server answered with, for a path.
func answered(resp *http.Response, path string) error {
	body, err := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	if err != nil {
		return fmt.Errorf("server answered %s: %w", resp.Status, err)
	}
	e := &apiError{Status: resp.StatusCode}
	if json.Unmarshal(body, e) != nil || e.Title == "" && e.Detail == "" {
		return fmt.Errorf("server answered %s: %s", resp.Status, strings.TrimSpace(string(body)))
	}
	if e.Status == http.StatusNotFound {
		switch path := strings.TrimPrefix(path, "/"); {
		case strings.HasPrefix(path, "v1/sessions/"):
			e.Hint = hintForMissing(path)
		case strings.HasPrefix(path, "v1/dead-letters"):
			e.Hint = "\"tapedeck dead-letters list\" lists those there are."
		}
	}
	return e
}

// startServer is what to do where no server answers.
const startServer = `Start one with "tapedeck up", or name it with --server or TAPEDECK_SERVER.`

// rootOf is the last error of a chain: what really happened, without what every
// layer says around it.
func rootOf(err error) error {
	for next := errors.Unwrap(err); next != nil; next = errors.Unwrap(err) {
		err = next
	}
	return err
}

// unreachable says what to do when nothing answers.
func (c *apiClient) unreachable(err error) error {
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		return fmt.Errorf("no tapedeck server answers at %s (%w)\n%s", c.base, rootOf(op.Err), startServer)
	}
	return err
}

// get reads a JSON answer into v.
func (c *apiClient) get(ctx context.Context, path string, query url.Values, v any) error {
	body, err := c.open(ctx, http.MethodGet, path, query, "application/json")
	if err != nil {
		return err
	}
	defer body.Close()
	if err := json.NewDecoder(body).Decode(v); err != nil {
		return fmt.Errorf("read the server's answer to %s: %w", path, err)
	}
	return nil
}

// pathOf is sessionPath for an id that a user named.
func pathOf(id string, rest ...string) (string, error) {
	if id == "" {
		return "", badUsage("name a session: \"tapedeck sessions\" lists those there are")
	}
	return sessionPath(id, rest...), nil
}

// sessionPath is the path of a session's routes.
func sessionPath(id string, rest ...string) string {
	path := "v1/sessions/" + url.PathEscape(id)
	if len(rest) > 0 {
		path += "/" + strings.Join(rest, "/")
	}
	return path
}
