package slow

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"tapedeck/internal/bounded"
	"tapedeck/internal/metric/metrictest"
)

// A client that does not read is disconnected, and counted.
func TestReadsNothing(t *testing.T) {
	metrictest.Grow(t, "tapedeck_slow_clients_total")
	failed := make(chan error, 1)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		out := NewWriter(w, NewTimeout(50*time.Millisecond))
		for {
			if _, err := out.Write(make([]byte, 1<<20)); err != nil {
				failed <- err
				return
			}
		}
	}))
	defer s.Close()
	before := testutil.ToFloat64(clients.WithLabelValues("write-timeout"))
	c := dial(t, s, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	defer c.Close()
	var err error
	bounded.Wait(t, func() { err = <-failed })
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the answer ended with %v", err)
	}
	if n := testutil.ToFloat64(clients.WithLabelValues("write-timeout")) - before; n != 1 {
		t.Errorf("%v are counted", n)
	}
}

// A client that reads slowly gets all of an answer, also if it takes longer than the timeout as a
// whole and the server has nothing to write for longer.
func TestReadsSlowly(t *testing.T) {
	want := bytes.Repeat([]byte("0123456789abcdef"), 1<<16)
	for _, http2 := range []bool{false, true} {
		s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			out := NewWriter(w, NewTimeout(time.Second))
			for _, part := range [][]byte{want[:1000], want[1000:]} {
				if _, err := out.Write(part); err != nil {
					t.Error(err)
				}
				time.Sleep(1200 * time.Millisecond) // longer than the timeout of a write, which does not run between writes
			}
			if err := out.Close(); err != nil {
				t.Error(err)
			}
		}))
		s.EnableHTTP2 = http2
		s.StartTLS()
		res, err := s.Client().Get(s.URL)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(res.Body)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("HTTP/2 %t: %d bytes, %v", http2, len(got), err)
		}
		res.Body.Close()
		s.Close()
	}
}

// A body that does not arrive ends its request, and is counted. The connection can be used after
// one that did.
func TestBody(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b := Within(w, r, NewTimeout(100*time.Millisecond))
		_, err := io.Copy(io.Discard, b)
		b.End()
		fmt.Fprint(w, err)
	}))
	defer s.Close()
	before := testutil.ToFloat64(clients.WithLabelValues("body-timeout"))
	for range 2 {
		res, err := http.Post(s.URL, "text/plain", bytes.NewReader([]byte("all of it")))
		if err != nil {
			t.Fatal(err)
		}
		if text, _ := io.ReadAll(res.Body); string(text) != "<nil>" {
			t.Errorf("read with %s", text)
		}
		res.Body.Close()
		time.Sleep(200 * time.Millisecond) // longer than a body may take
	}
	c := dial(t, s, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf")
	defer c.Close()
	bounded.Until(t, "the body is abandoned", func() bool {
		return testutil.ToFloat64(clients.WithLabelValues("body-timeout"))-before == 1
	})
}

func dial(t *testing.T, s *httptest.Server, request string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(c, request); err != nil {
		t.Fatal(err)
	}
	return c
}

// A timeout that is not set is the default, and one that is changed holds from then on.
func TestTimeout(t *testing.T) {
	var none *Timeout
	set := NewTimeout(0)
	if none.Or(time.Minute) != time.Minute || set.Or(time.Minute) != time.Minute {
		t.Errorf("not set: %v, %v", none.Or(time.Minute), set.Or(time.Minute))
	}
	set.Set(time.Second)
	if got := set.Or(time.Minute); got != time.Second {
		t.Errorf("set to 1s: %v", got)
	}
}
