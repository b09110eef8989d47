package slow

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"tapedeck/internal/bounded"
)

// A head that does not arrive is counted, of the first request of a connection and of a later one.
// An idle connection, a body that pauses and a client that leaves are not.
func TestHead(t *testing.T) {
	var heads Heads
	closed := make(chan net.Conn, 10)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		heads.Arrived(r)
		_, _ = io.Copy(io.Discard, r.Body)
		fmt.Fprint(w, "ok")
	}))
	s.Listener = heads.Listener(s.Listener)
	s.Config.ConnContext, s.Config.ReadHeaderTimeout, s.Config.IdleTimeout = heads.ConnContext, time.Second, 1500*time.Millisecond
	s.Config.ConnState = func(c net.Conn, state http.ConnState) {
		heads.ConnState(c, state)
		if state == http.StateClosed {
			closed <- c
		}
	}
	s.Start()
	defer s.Close()
	count := func() float64 { return testutil.ToFloat64(clients.WithLabelValues("header-timeout")) }
	const whole = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
	for _, tc := range []struct {
		name, first, second string
		leaves              bool
		want                float64
	}{
		{"nothing", "", "", false, 1},
		{"a part", "GET / HTTP/1.1\r\nHo", "", false, 1},
		{"idle", whole, "", false, 0},
		{"idle after a body", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody", "", false, 0},
		{"a part of the second", whole, "GET / HT", false, 1},
		{"leaves", "GET / HTTP/1.1\r\nHo", "", true, 0},
	} {
		before := count()
		c := dial(t, s, tc.first)
		if tc.first != "" && !tc.leaves && tc.name != "a part" {
			res, err := http.ReadResponse(bufio.NewReader(c), nil)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, res.Body)
		}
		if _, err := io.WriteString(c, tc.second); err != nil {
			t.Fatal(err)
		}
		if tc.leaves {
			c.Close()
		}
		bounded.Wait(t, func() { <-closed })
		if got := count() - before; got != tc.want {
			t.Errorf("%s: %v are counted, want %v", tc.name, got, tc.want)
		}
		c.Close()
	}
}
