// Package apiclient calls the HTTP API of a tapedeck server.
package apiclient

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"tapedeck/internal/commandline"
	"tapedeck/internal/origin"
	"tapedeck/internal/rootcause"
)

// Client calls a server's API. Its fields may be changed before the first call.
type Client struct {
	Base  *url.URL
	Token string
	// Tenant is the tenant of requests with a token of all tenants; "" for the server's default.
	Tenant string
	HTTP   *http.Client // its Transport is a *http.Transport
	// Hint returns what to do about a path that the server answers with 404, "" for no hint; may be
	// nil.
	Hint func(path string) string
	// Answered, if set, is called with the headers of each answer with a status of 2xx.
	Answered func(http.Header)

	known atomic.Bool // the server has described its API, see CheckServer
}

// New returns a client of the server at a URL.
func New(server, token string) (*Client, error) {
	base, err := url.Parse(strings.TrimSuffix(server, "/"))
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return nil, commandline.Errorf("--server %q: it must be a URL like http://127.0.0.1:4600", server)
	}
	return &Client{Base: base, Token: token, HTTP: &http.Client{Transport: &http.Transport{
		DialContext:           (&net.Dialer{Timeout: 5 * time.Second}).DialContext,
		ResponseHeaderTimeout: 2 * time.Minute,
		ForceAttemptHTTP2:     true,
		DisableCompression:    origin.IsLoopback(base.Host), // bytes cost less than their compression there
	}}}, nil
}

// Trust sets the authorities that must have signed the server's certificate, and the client's
// certificate.
func (c *Client) Trust(config *tls.Config) {
	c.HTTP.Transport.(*http.Transport).TLSClientConfig = config
}

// WithoutTimeout removes the timeout for the header of an answer, for requests that are answered
// after long work.
func (c *Client) WithoutTimeout() { c.HTTP.Transport.(*http.Transport).ResponseHeaderTimeout = 0 }

// URL returns the address of a path with a query.
func (c *Client) URL(path string, query url.Values) string {
	u := c.Base.JoinPath(path)
	u.RawQuery = query.Encode()
	return u.String()
}

// Do sends a request and returns the answer with any status.
func (c *Client) Do(ctx context.Context, method, path string, query url.Values, accept string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.URL(path, query), nil)
	if err != nil {
		return nil, err
	}
	return c.send(req, accept)
}

// Post sends a body of a media type, nil for none, and returns the body of the JSON answer, which
// the caller closes. A status other than 2xx is an error.
func (c *Client) Post(ctx context.Context, path string, query url.Values, media string, body []byte) (io.ReadCloser, error) {
	return c.Send(ctx, http.MethodPost, path, query, media, body)
}

// Send is like Post with another method.
func (c *Client) Send(ctx context.Context, method, path string, query url.Values, media string, body []byte) (io.ReadCloser, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.URL(path, query), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if body != nil {
		req.Header.Set("Content-Type", media)
	}
	resp, err := c.send(req, "application/json")
	if err != nil {
		return nil, err
	}
	return c.accepted(ctx, resp, path)
}

func (c *Client) send(req *http.Request, accept string) (*http.Response, error) {
	c.Authorize(req.Header)
	req.Header.Set("Accept", accept)
	resp, err := c.HTTP.Do(req)
	if err != nil {
		return nil, Unreachable(c.Base.String(), err)
	}
	return resp, nil
}

// Open sends a request and returns the answer's body, which the caller closes. A
// status other than 2xx is an error.
func (c *Client) Open(ctx context.Context, method, path string, query url.Values, accept string) (io.ReadCloser, error) {
	resp, err := c.Do(ctx, method, path, query, accept)
	if err != nil {
		return nil, err
	}
	return c.accepted(ctx, resp, path)
}

// accepted returns the body of an answer of a tapedeck server with a status of 2xx.
func (c *Client) accepted(ctx context.Context, resp *http.Response, path string) (io.ReadCloser, error) {
	if resp.StatusCode/100 == 2 {
		if err := c.CheckServer(ctx, resp); err != nil {
			_ = resp.Body.Close() // it is not read
			return nil, err
		}
		if c.Answered != nil {
			c.Answered(resp.Header)
		}
		return resp.Body, nil
	}
	defer resp.Body.Close()
	return nil, c.Refusal(resp, path)
}

// Get reads a JSON answer into v.
func (c *Client) Get(ctx context.Context, path string, query url.Values, v any) error {
	body, err := c.Open(ctx, http.MethodGet, path, query, "application/json")
	if err != nil {
		return err
	}
	defer body.Close()
	if err := json.NewDecoder(body).Decode(v); err != nil {
		return fmt.Errorf("read the server's answer to %s: %w", path, err)
	}
	return nil
}

// Copy writes an answer of the API to w as it arrives.
func (c *Client) Copy(ctx context.Context, path string, query url.Values, accept string, w io.Writer) error {
	body, err := c.Open(ctx, http.MethodGet, path, query, accept)
	if err != nil {
		return err
	}
	defer body.Close()
	_, err = io.Copy(w, body)
	return err
}

// TenantHeader names the tenant of a request with a token of all tenants.
const TenantHeader = "Tapedeck-Tenant"

// Authorize adds the token and the tenant to a request's header.
func (c *Client) Authorize(h http.Header) {
	if c.Tenant != "" {
		h.Set(TenantHeader, c.Tenant)
	}
	if c.Token != "" {
		h.Set("Authorization", "Bearer "+c.Token)
	}
}

// startServer is the hint if no server answers.
const startServer = `Start one with "tapedeck up", or name it with --server or TAPEDECK_SERVER.`

// Unreachable adds what to do to an error of dialing a server, or of a server that does not speak HTTPS or HTTP as its
// address says. It returns other errors unchanged.
func Unreachable(server string, err error) error {
	switch {
	case errors.Is(err, http.ErrSchemeMismatch):
		return fmt.Errorf("%s answers without TLS: write http:// in --server or TAPEDECK_SERVER", server)
	case errors.Is(err, io.EOF):
		return fmt.Errorf("what listens at %s closed the connection without an answer of HTTP (%w): is it a tapedeck server, and does it want https://?", server, err)
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		return fmt.Errorf("no tapedeck server answers at %s (%w)\n%s", server, rootcause.Of(op.Err), startServer)
	}
	return err
}

// SessionPath returns the path of a session's routes.
func SessionPath(id string, rest ...string) string {
	path := "v1/sessions/" + url.PathEscape(id)
	for _, segment := range rest {
		path += "/" + url.PathEscape(segment)
	}
	return path
}
