package websocket

import (
	"bufio"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"tapedeck/internal/metric/metrictest"
)

// A frame without a mask ends the connection with code 1002 and is not recorded;
// what came before it is.
func TestUnmaskedFrames(t *testing.T) {
	metrictest.Grow(t, "tapedeck_ingest_ws_violations_total")
	masked := func(first byte, payload string) string {
		return string(append([]byte{first, 0x80 | byte(len(payload)), 0, 0, 0, 0}, payload...))
	}
	for name, bad := range map[string]string{
		"text":         "\x81\x03bad",
		"continuation": masked(0x01, "begun") + "\x80\x03bad",
		"ping":         "\x89\x00",
		"close":        "\x88\x02\x03\xe8",
		"long":         "\x81\x7e\x10\x00" + strings.Repeat("x", 4096),
	} {
		t.Run(name, func(t *testing.T) {
			l := listen(t, HandlerOptions{})
			conn, err := net.Dial("tcp", l.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
			_, _ = io.WriteString(conn, "GET /v1/ingest/ws?session=s HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
				"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
			in := bufio.NewReader(conn)
			if res, err := http.ReadResponse(in, nil); err != nil || res.StatusCode != http.StatusSwitchingProtocols {
				t.Fatal(res, err)
			}
			_, _ = io.WriteString(conn, masked(0x81, "{}")+bad)
			if code := closeCode(t, in); code != 1002 {
				t.Errorf("closed with %d, want 1002", code)
			}
			_, _ = io.WriteString(conn, masked(0x88, "\x03\xea")) // agrees
			state := l.ended(t)
			if want := "error: the client sent a frame without a mask (RFC 6455, section 5.1)"; state.EndReason != want {
				t.Errorf("ended with %q", state.EndReason)
			}
			for _, id := range l.memory.Streams() {
				for i, f := range l.memory.Frames(id) {
					if want := []string{"{}", "begun"}; i >= len(want) || string(f.Raw) != want[i] {
						t.Errorf("recorded %q", f.Raw)
					}
				}
			}
		})
	}
}

// closeCode reads frames of the server up to its close frame.
func closeCode(t *testing.T, in *bufio.Reader) int {
	t.Helper()
	for {
		var head [2]byte
		if _, err := io.ReadFull(in, head[:]); err != nil {
			t.Fatal(err)
		}
		payload := make([]byte, head[1])
		if _, err := io.ReadFull(in, payload); err != nil {
			t.Fatal(err)
		}
		if head[0] == 0x88 {
			return int(binary.BigEndian.Uint16(payload))
		}
	}
}
