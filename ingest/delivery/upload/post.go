package upload

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"tapedeck/ingest"
	"tapedeck/internal/apiclient"
	"tapedeck/internal/clockskew"
	"tapedeck/internal/problem"
)

const (
	// helloTimeout bounds a request to a server that did not answer before, including connecting.
	helloTimeout = 10 * time.Second
	// answerLimit bounds how much of an answer is read, bytes.
	answerLimit = 4 << 20
	// writeBuffer is the size of the pieces in which a request is written, bytes.
	writeBuffer = 64 << 10
)

// targetOf returns the address that blocks are sent to.
func targetOf(server string) (string, error) {
	u, err := url.Parse(server)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", fmt.Errorf("server %q: it must be a URL like http://127.0.0.1:4600", server)
	}
	return u.JoinPath(Path).String(), nil
}

func newHTTPClient(o *Options) *http.Client {
	dialer := net.Dialer{Timeout: helloTimeout}
	return &http.Client{
		Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, TLSClientConfig: o.TLS, TLSHandshakeTimeout: helloTimeout,
			DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
				conn, err := dialer.DialContext(ctx, network, address)
				if err != nil {
					return nil, err
				}
				return &timeoutConn{conn, o.Timeout}, nil
			},
			ResponseHeaderTimeout: o.Timeout, WriteBufferSize: writeBuffer, DisableCompression: true,
			MaxIdleConnsPerHost: mostRequests, IdleConnTimeout: time.Minute,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// timeoutConn fails when a piece of a request cannot be written in time, since a severed connection
// may not report an error.
type timeoutConn struct {
	net.Conn
	timeout time.Duration
}

func (c *timeoutConn) Write(p []byte) (int, error) {
	if err := c.SetWriteDeadline(time.Now().Add(c.timeout)); err != nil {
		return 0, err
	}
	return c.Conn.Write(p)
}

// post makes a request with blocks and returns the answer with an unread body. done releases the
// answer. Reading the body fails if it takes longer than the timeout. A request to a server
// that did not answer before takes helloTimeout at most.
func (c *Client) post(ctx context.Context, batch []*item) (_ *http.Response, done func(), _ error) {
	var cancel context.CancelFunc
	if c.State().Connected {
		ctx, cancel = context.WithCancel(ctx)
	} else {
		ctx, cancel = context.WithTimeout(ctx, helloTimeout)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.target, nil)
	if err != nil {
		cancel()
		return nil, nil, err
	}
	parts := make(net.Buffers, 0, 2*len(batch))
	for _, it := range batch {
		parts = append(parts, appendHead(nil, &it.block), it.block.Data)
		req.ContentLength += int64(len(parts[len(parts)-2]) + len(it.block.Data))
	}
	if len(batch) > 0 {
		req.GetBody = func() (io.ReadCloser, error) {
			body := slices.Clone(parts) // reading removes them
			return io.NopCloser(&body), nil
		}
		req.Body, _ = req.GetBody()
	}
	req.Header.Set("Content-Type", ContentType)
	req.Header["Idempotency-Key"] = nil // the key lets net/http repeat the request on another connection
	if c.opts.Token != "" {
		req.Header.Set("Authorization", "Bearer "+c.opts.Token)
	}
	if c.opts.Tenant != "" {
		req.Header.Set(apiclient.TenantHeader, c.opts.Tenant)
	}
	if c.opts.Recorder != "" {
		req.Header.Set(RecorderHeader, c.opts.Recorder)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		cancel()
		return nil, nil, unreachable(c.opts.Server, err)
	}
	timer := time.AfterFunc(c.opts.Timeout, cancel)
	return resp, func() {
		timer.Stop()
		_ = resp.Body.Close() // the body was read, or failed before
		cancel()
	}, nil
}

// hello makes a request without blocks.
func (c *Client) hello(ctx context.Context) error {
	began := time.Now()
	resp, done, err := c.post(ctx, nil) //nolint:bodyclose // done closes it
	if err != nil {
		return err
	}
	defer done()
	c.ahead.Store(int64(clockskew.OfAnswer(resp, began)))
	_, err = c.outcome(resp, nil)
	return err
}

// outcome reads an answer. It returns the blocks that the answer settles, with their errors. The
// error says why the others are not settled.
func (c *Client) outcome(resp *http.Response, batch []*item) (settled []*item, _ error) {
	text, err := io.ReadAll(io.LimitReader(resp.Body, answerLimit))
	var a struct {
		answer
		Detail string `json:"detail"`
	}
	if err == nil {
		if err = json.Unmarshal(text, &a); err == nil && (a.Settled < 0 || a.Settled > len(batch)) {
			err = fmt.Errorf("%d of %d blocks are settled", a.Settled, len(batch))
		}
	}
	if resp.StatusCode == http.StatusOK {
		if err == nil && a.MaxBlock <= 0 {
			err = fmt.Errorf("it does not name the largest block that it takes")
		}
		if err != nil {
			return nil, unreachable(c.opts.Server, fmt.Errorf("its answer is invalid: %w", err))
		}
		c.found(&a.answer)
	} else if err != nil {
		a.answer = answer{} // the answer if the server sends none
	}
	if a.Settled > 0 {
		c.mu.Lock()
		c.pause.Reset() // answers are read concurrently
		c.mu.Unlock()
		for i, it := range batch[:a.Settled] {
			it.err = c.refusalOf(i, a.Refused)
		}
		settled = c.settle(batch[:a.Settled])
	}
	switch rest := batch[a.Settled:]; {
	case resp.StatusCode == http.StatusRequestEntityTooLarge && len(rest) > 0:
		if len(batch) == 1 {
			rest[0].err = ingest.Permanent(fmt.Errorf("block of %d bytes is larger than what %s takes: %s",
				len(rest[0].block.Data), c.opts.Server, a.Detail))
			return c.settle(rest), nil
		}
		return settled, &busyError{reason: "the request is too large"}
	case resp.StatusCode == http.StatusTooManyRequests && (len(batch) > 0 || c.known()):
		return settled, &busyError{reason: reasonOf(resp, a.Detail), retryAfter: retryAfter(resp)}
	case resp.StatusCode == http.StatusServiceUnavailable && resp.Header.Get(problem.StartingHeader) != "":
		return settled, &StartingError{c.opts.Server, a.Detail, retryAfter(resp)}
	case resp.StatusCode != http.StatusOK:
		return settled, explainStatus(c.opts.Server, resp, a.Detail, c.known())
	case len(rest) > 0:
		return settled, &busyError{reason: a.Reason, retryAfter: time.Second}
	}
	return settled, nil
}

// refusalOf returns the error of a settled block: nil if it is durable.
func (c *Client) refusalOf(index int, refused []refusal) error {
	at := slices.IndexFunc(refused, func(r refusal) bool { return r.Index == index })
	switch {
	case at < 0:
		return nil
	case refused[at].Status == http.StatusGone:
		return ingest.Permanent(&ingest.DeletedError{Reason: refused[at].Reason})
	}
	return ingest.Permanent(fmt.Errorf("the tapedeck server %s refuses the block: %s", c.opts.Server,
		refused[at].Reason))
}

// known reports whether the server has answered this client before.
func (c *Client) known() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.peer.MaxBlock > 0
}

// retryAfter returns after how long the server asks the client to try again.
func retryAfter(resp *http.Response) time.Duration {
	seconds, err := strconv.Atoi(resp.Header.Get("Retry-After"))
	if err != nil || seconds < 0 {
		seconds = 1
	}
	return min(time.Duration(seconds)*time.Second, 30*time.Second)
}
