package play

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"

	"github.com/coder/websocket"

	"tapedeck/internal/apiclient"
	"tapedeck/replay/terminal"
)

// remotePlayback is a playback over a WebSocket. It implements terminal.Remote.
type remotePlayback struct{ conn *websocket.Conn }

// dialPlayback begins a playback that can be controlled.
func dialPlayback(ctx context.Context, c *apiclient.Client, path string, q url.Values) (*remotePlayback, error) {
	u := c.Base.JoinPath(path)
	u.RawQuery = q.Encode()
	transport := c.HTTP.Transport.(*http.Transport).Clone()
	transport.ForceAttemptHTTP2 = false // a WebSocket needs HTTP/1.1
	transport.TLSNextProto = map[string]func(string, *tls.Conn) http.RoundTripper{}
	transport.ResponseHeaderTimeout = 0
	header := http.Header{}
	c.Authorize(header)
	conn, resp, err := websocket.Dial(ctx, u.String(), &websocket.DialOptions{
		HTTPClient: &http.Client{Transport: transport}, HTTPHeader: header,
	})
	if err != nil {
		if resp != nil && resp.StatusCode >= 400 {
			return nil, c.Refusal(resp, path)
		}
		return nil, apiclient.Unreachable(c.Base.String(), err)
	}
	conn.SetReadLimit(-1) // a frame may be of any recorded size
	return &remotePlayback{conn}, nil
}

// Send implements terminal.Remote.
func (r *remotePlayback) Send(ctx context.Context, c terminal.Control) error {
	text, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return r.conn.Write(ctx, websocket.MessageText, text)
}

// Next implements terminal.Remote.
func (r *remotePlayback) Next(ctx context.Context) ([]byte, error) {
	_, text, err := r.conn.Read(ctx)
	if websocket.CloseStatus(err) == websocket.StatusGoingAway {
		return nil, fmt.Errorf("the server is stopping")
	}
	return text, err
}

func (r *remotePlayback) close() { _ = r.conn.CloseNow() } // it may be closed already
