package proxy

import (
	"errors"
	"io"
	"net"
	"net/http"
	"strings"

	"tapedeck/ingest/websocket"
	"tapedeck/internal/contentcoding"
	"tapedeck/schema"
)

// tunnelBody is what passes in one direction after an upgrade.
func (p *Proxy) tunnelBody(answer http.Header) *body {
	if !strings.EqualFold(answer.Get("Upgrade"), "websocket") {
		return &body{framer: newPieces()}
	}
	var inflater websocket.Inflater
	extensions := strings.Join(answer.Values("Sec-Websocket-Extensions"), ",")
	name, _, _ := strings.Cut(extensions, ";")
	if strings.TrimSpace(name) == "permessage-deflate" && !strings.Contains(extensions, ",") {
		inflater = &inflate{}
	}
	return &body{framer: websocket.NewFramer(p.opts.FrameLimit, inflater)}
}

// inflate is a decoder of messages that begins with the first one.
type inflate struct{ decoder *contentcoding.Decoder }

// Decode implements websocket.Inflater.
func (i *inflate) Decode(p []byte, out func([]byte) error) error {
	if i.decoder == nil {
		i.decoder = contentcoding.NewMessages()
	}
	return i.decoder.Decode(p, out)
}

// Stop implements websocket.Inflater.
func (i *inflate) Stop() {
	if i.decoder != nil {
		i.decoder.Stop()
	}
}

// tunnel is the upstream's side of an upgraded connection, with an ear on it.
type tunnel struct {
	io.ReadWriteCloser
	exchange *exchange
}

// Read implements io.Reader: what the upstream sends.
func (t *tunnel) Read(p []byte) (int, error) {
	t.exchange.passed() // what was read before was written since
	n, err := t.ReadWriteCloser.Read(p)
	if n > 0 {
		if unrecorded := t.exchange.data(schema.Receive, p[:n]); unrecorded != nil {
			return 0, unrecorded
		}
	}
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, net.ErrClosed) {
		t.exchange.fail("the connection to the upstream was cut", err)
	}
	return n, err
}

// Write implements io.Writer: what the client sends. It is recorded before it
// is sent, so that it comes before its answer.
func (t *tunnel) Write(p []byte) (int, error) {
	if unrecorded := t.exchange.data(schema.Send, p); unrecorded != nil {
		return 0, unrecorded
	}
	n, err := t.ReadWriteCloser.Write(p)
	t.exchange.passed()
	if err != nil {
		t.exchange.fail("the connection to the upstream was cut", err)
	}
	return n, err
}

// CloseWrite passes on that the client will send no more.
func (t *tunnel) CloseWrite() error {
	if half, ok := t.ReadWriteCloser.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return t.Close()
}
