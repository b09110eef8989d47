package clickhouse

import (
	"errors"
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
	"time"

	"tapedeck/internal/bounded"
	"tapedeck/internal/local/localtest"
	"tapedeck/replay"
	"tapedeck/replay/replaytest"
	"tapedeck/schema"
)

// cable leads to a server and can be cut.
type cable struct {
	listener net.Listener
	target   string
	wait     sync.WaitGroup

	mu    sync.Mutex
	conns []net.Conn
}

func newCable(t *testing.T, target string) *cable {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &cable{listener: l, target: target}
	c.wait.Go(c.accept)
	t.Cleanup(func() {
		l.Close()
		c.cut()
		bounded.Wait(t, c.wait.Wait)
	})
	return c
}

func (c *cable) accept() {
	for {
		in, err := c.listener.Accept()
		if err != nil {
			return
		}
		out, err := net.Dial("tcp", c.target)
		if err != nil {
			in.Close()
			continue
		}
		c.mu.Lock()
		c.conns = append(c.conns, in, out)
		c.mu.Unlock()
		c.wait.Go(func() { io.Copy(out, in); out.Close() })
		c.wait.Go(func() { io.Copy(in, out); in.Close() })
	}
}

// cut ends the connections that there are, and says how many there were.
func (c *cable) cut() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, conn := range c.conns {
		conn.Close()
	}
	n := len(c.conns) / 2
	c.conns = nil
	return n
}

// Connections that went stale between two pages go unnoticed; a server that is
// gone is an error, and never an end.
func TestOutage(t *testing.T) {
	dsn, err := url.Parse(localtest.ClickHouse(t))
	if err != nil {
		t.Fatal(err)
	}
	line := newCable(t, dsn.Host)
	db := newDatabase(t, dsn.String())
	want := &replaytest.Tape{}
	s := want.Stream(schema.NDJSON, "")
	for i := range 3000 {
		s.Add(time.Duration(i)*time.Millisecond, "{}\n")
	}
	db.record("default", "s", want, nil)
	dsn.Host = line.listener.Addr().String()
	db.dsn = dsn.String()
	store := db.open(Options{PageBytes: 1})
	tape, err := store.Tape(t.Context(), "default", "s")
	if err != nil {
		t.Fatal(err)
	}
	read := func(onPage func(frames int)) (int, error) {
		r, err := tape.Read(t.Context(), replay.Query{})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		n := 0
		for {
			frames, err := r.Next(t.Context())
			if err != nil {
				return n, err
			}
			if err := same(frames, want.Frames()[n:n+len(frames)], false); err != nil {
				return n, err
			}
			n += len(frames)
			onPage(n)
		}
	}
	// Cut where no query is under way, so that what is cut is an idle connection.
	cuts := 0
	n, err := read(func(n int) {
		bounded.Until(t, "no query is under way", func() bool { return len(store.slots) == 0 })
		cuts += line.cut()
	})
	if n != 3000 || !errors.Is(err, io.EOF) || cuts < 3 {
		t.Errorf("%d frames over %d connections, then %v", n, cuts, err)
	}
	n, err = read(func(int) {
		line.listener.Close()
		line.cut()
	})
	if n == 3000 || err == nil || errors.Is(err, io.EOF) {
		t.Errorf("the server was gone: %d frames, then %v", n, err)
	}
}
