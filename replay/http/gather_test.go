package replayhttp_test

import (
	"net"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"

	replayhttp "tapedeck/replay/http"
	"tapedeck/replay/player"
)

// countingListener counts the writes to its connections.
type countingListener struct {
	net.Listener
	writes atomic.Int64
}

type countingConn struct {
	net.Conn
	writes *atomic.Int64
}

func (l *countingListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return countingConn{c, &l.writes}, err
}

func (c countingConn) Write(p []byte) (int, error) {
	c.writes.Add(1)
	return c.Conn.Write(p)
}

// Frames that are due together are written together, over every transport: 500 frames of some 400
// bytes take the writes of their bytes, and not one each.
func TestWritesTogether(t *testing.T) {
	tape := simple(500, 0)
	for _, over := range transports {
		t.Run(over.String(), func(t *testing.T) {
			inner, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			l := &countingListener{Listener: inner}
			srv := &http.Server{Handler: handler(replayhttp.New(replayhttp.Options{Library: tape, Alarm: player.TimerAlarm}))}
			done := make(chan error, 1)
			go func() { done <- srv.Serve(l) }()
			defer func() { srv.Close(); <-done }()
			got, last := play(t, http.DefaultClient, "http://"+l.Addr().String(), over, "speed=max").frames(t)
			if want := positions(tape, nil); !slices.Equal(got, want) || last.Type != "end" {
				t.Fatalf("%d frames, want %d, and %+v", len(got), len(want), last)
			}
			if n := l.writes.Load(); n > 100 {
				t.Errorf("%d writes", n)
			}
		})
	}
}
