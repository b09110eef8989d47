package upload

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"time"

	"github.com/coder/websocket"

	"tapedeck/ingest"
)

const (
	// handshakeTimeout bounds making a connection, up to the server's hello.
	handshakeTimeout = 10 * time.Second
	// answerLimit bounds a message of the server, bytes.
	answerLimit = 64 << 10
	// missedSigns is after how many signs of life that did not come the
	// connection counts as broken.
	missedSigns = 4
)

// connection is a connection to the server over which nothing was sent so far.
type connection struct {
	*websocket.Conn
	gather *gatherConn // nil with TLS
	peer   hello
}

// send writes one message.
func (c *connection) send(ctx context.Context, message []byte) error {
	if err := c.Write(ctx, websocket.MessageBinary, message); err != nil {
		return err
	}
	if c.gather == nil {
		return nil
	}
	return c.gather.flush()
}

// hear reads one message. It fails if none comes in as long as several signs
// of life should take.
func (c *connection) hear(ctx context.Context) (answer, error) {
	limited, cancel := context.WithTimeout(ctx, missedSigns*time.Duration(c.peer.AliveMS)*time.Millisecond)
	defer cancel()
	_, text, err := c.Read(limited)
	if err != nil {
		if limited.Err() != nil && ctx.Err() == nil {
			err = fmt.Errorf("the server gives no sign of life for %d s", missedSigns*c.peer.AliveMS/1000)
		}
		return answer{}, err
	}
	var a answer
	if err := json.Unmarshal(text, &a); err != nil {
		return answer{}, fmt.Errorf("the server's message cannot be understood: %w", err)
	}
	return a, nil
}

// targetOf makes the address of a server's WebSocket out of its URL.
func targetOf(server string) (string, error) {
	u, err := url.Parse(server)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", fmt.Errorf("server %q: it must be a URL like http://127.0.0.1:4600", server)
	}
	u.Scheme = "ws" + strings.TrimPrefix(u.Scheme, "http")
	return u.JoinPath(Path).String(), nil
}

// connect makes a connection. The error is permanent where trying again is of
// no use.
func (c *Client) connect(ctx context.Context) (*connection, error) {
	ctx, cancel := context.WithTimeout(ctx, handshakeTimeout)
	defer cancel()
	header := http.Header{}
	if c.opts.Token != "" {
		header.Set("Authorization", "Bearer "+c.opts.Token)
	}
	if c.opts.Recorder != "" {
		header.Set(RecorderHeader, c.opts.Recorder)
	}
	conn := &connection{peer: hello{AliveMS: handshakeTimeout.Milliseconds() / missedSigns}}
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, TLSClientConfig: c.opts.TLS}
	if strings.HasPrefix(c.target, "ws:") {
		transport.DialContext = dialGathering
		ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) {
			conn.gather, _ = info.Conn.(*gatherConn)
		}})
	}
	defer transport.CloseIdleConnections()
	ws, resp, err := websocket.Dial(ctx, c.target, &websocket.DialOptions{
		HTTPClient: &http.Client{Transport: transport}, HTTPHeader: header,
		Subprotocols: []string{Protocol}, CompressionMode: websocket.CompressionDisabled,
	})
	if err != nil {
		c.mu.Lock()
		known := c.peer.AliveMS > 0
		c.mu.Unlock()
		return nil, explainHandshake(c.opts.Server, resp, err, known)
	}
	conn.Conn = ws
	if ws.Subprotocol() != Protocol {
		ws.CloseNow()
		return nil, ingest.Permanent(&RefusedError{
			Server: c.opts.Server, Reason: "it does not speak " + Protocol, Hint: sameVersion,
		})
	}
	ws.SetReadLimit(answerLimit)
	a, err := conn.hear(ctx)
	if err == nil && (a.Hello == nil || a.Hello.AliveMS <= 0) {
		err = fmt.Errorf("it does not begin with a hello")
	}
	if err != nil {
		ws.CloseNow()
		return nil, unreachable(c.opts.Server, err)
	}
	conn.peer = *a.Hello
	c.mu.Lock()
	c.peer = conn.peer
	c.mu.Unlock()
	return conn, nil
}
