package proxy

import (
	"errors"
	"io"
	"net"
	"net/http"
	"strings"

	"tapedeck/ingest/tap/websocket"
	"tapedeck/internal/contentcoding"
	"tapedeck/schema"
)

// tunnelBody returns the body of one direction after an upgrade.
func (p *Proxy) tunnelBody(answer http.Header) *body {
	if !strings.EqualFold(answer.Get("Upgrade"), "websocket") {
		return &body{framer: newReadFramer()}
	}
	var inflater websocket.Inflater
	extensions := strings.Join(answer.Values("Sec-Websocket-Extensions"), ",")
	name, _, _ := strings.Cut(extensions, ";")
	if strings.TrimSpace(name) == "permessage-deflate" && !strings.Contains(extensions, ",") {
		inflater = &inflate{}
	}
	return &body{framer: websocket.NewFramer(p.opts.FrameLimit, inflater)}
}

// inflate is a message decoder that is created for the first message.
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

// tunnel is the upstream's side of an upgraded connection. It records what is read and written.
type tunnel struct {
	io.ReadWriteCloser
	exchange *exchange
}

// Read implements io.Reader: it reads what the upstream sends.
func (t *tunnel) Read(p []byte) (int, error) {
	t.exchange.forwarded() // the previous read has been written since
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

// Write implements io.Writer: it sends what the client sends. Recording comes before
// sending, so that it precedes the response.
func (t *tunnel) Write(p []byte) (int, error) {
	if unrecorded := t.exchange.data(schema.Send, p); unrecorded != nil {
		return 0, unrecorded
	}
	n, err := t.ReadWriteCloser.Write(p)
	t.exchange.forwarded()
	if err != nil {
		t.exchange.fail("the connection to the upstream was cut", err)
	}
	return n, err
}

// CloseWrite forwards the end of the client's input.
func (t *tunnel) CloseWrite() error {
	if half, ok := t.ReadWriteCloser.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return t.Close()
}
