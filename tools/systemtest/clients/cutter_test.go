package clients

import (
	"bufio"
	"io"
	"net"
	"sync"
	"testing"

	"tapedeck/internal/bounded"
)

// framer passes connections on and cuts them off in the middle.
type framer struct {
	address string
	mu      sync.Mutex // guards what follows
	limits  []int64    // bytes of the server's that the next requests' connections pass on
	cut     int        // connections that were cut off
}

// cutAfter stands before a server: the first connections are cut off after so
// many bytes of the server's, those after them are not.
func cutAfter(t *testing.T, server string, limits ...int64) *framer {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	c := &framer{address: l.Addr().String(), limits: limits}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return // closed
			}
			running.Go(func() { c.pass(client, server) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		bounded.Wait(t, running.Wait)
	})
	return c
}

func (c *framer) pass(client net.Conn, address string) {
	defer client.Close()
	server, err := net.Dial("tcp", address)
	if err != nil {
		return // the client sees it
	}
	defer server.Close()
	request := bufio.NewReader(client)
	if _, err := request.Peek(1); err != nil {
		return // browsers open connections that they may never use
	}
	c.mu.Lock()
	limit := int64(1) << 60
	cuts := len(c.limits) > 0
	if cuts {
		limit, c.limits = c.limits[0], c.limits[1:]
	}
	c.mu.Unlock()
	var asking sync.WaitGroup
	asking.Go(func() {
		_, _ = io.Copy(server, request)
		_ = server.Close() // the client has left
	})
	n, _ := io.Copy(client, io.LimitReader(server, limit))
	if cuts && n == limit {
		c.mu.Lock()
		c.cut++
		c.mu.Unlock()
	}
	_ = client.Close()
	asking.Wait()
}

// cuts reports how many connections were cut off.
func (c *framer) cuts() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.cut
}
