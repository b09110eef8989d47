package failure

import (
	"net"
	"net/http"
	"sync"
	"testing"
)

// relay passes TCP connections on to servers, as a network or a load balancer does.
type relay struct {
	listener net.Listener
	target   func() string // the address for a new connection; "" closes it
	// delay, if set, receives each piece before it is passed on, which waits until the channel is
	// closed. nil does not wait.
	delay  func(fromServer bool, piece []byte) <-chan struct{}
	closed chan struct{}
	busy   sync.WaitGroup

	mu       sync.Mutex // guards what follows
	conns    map[net.Conn]bool
	opened   int  // connections that were passed on
	received int  // bytes from the server on the latest of them
	away     bool // connections are refused
}

// newRelay listens until the test ends.
func newRelay(t *testing.T, target func() string, delay func(fromServer bool, piece []byte) <-chan struct{}) *relay {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &relay{listener: l, target: target, delay: delay, closed: make(chan struct{}), conns: map[net.Conn]bool{}}
	r.busy.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			r.busy.Go(func() { r.pass(c) })
		}
	})
	t.Cleanup(func() {
		l.Close()
		close(r.closed)
		r.sever()
		r.busy.Wait()
	})
	return r
}

func (r *relay) address() string { return r.listener.Addr().String() }
func (r *relay) url() string     { return "http://" + r.address() }

// seen returns how many connections were passed on, and the bytes received on the latest.
func (r *relay) seen() (opened, received int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.opened, r.received
}

// sever closes all connections and refuses new ones until mend.
func (r *relay) sever() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.away = true
	for c := range r.conns {
		c.Close()
	}
}

func (r *relay) mend() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.away = false
}

func (r *relay) keep(c net.Conn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.conns[c] = !r.away
	return !r.away
}

func (r *relay) forget(c net.Conn) {
	c.Close()
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.conns, c)
}

func (r *relay) pass(client net.Conn) {
	defer r.forget(client)
	if !r.keep(client) {
		return
	}
	target := r.target()
	if target == "" {
		return
	}
	server, err := net.Dial("tcp", target)
	if err != nil {
		return
	}
	defer r.forget(server)
	if !r.keep(server) {
		return
	}
	if r.delay != nil { // bounds what is in flight beyond the piece that waits
		_ = server.(*net.TCPConn).SetReadBuffer(64 << 10) // best effort
	}
	r.mu.Lock()
	r.opened++
	r.received = 0
	mine := r.opened
	r.mu.Unlock()
	var both sync.WaitGroup
	both.Go(func() { r.copy(server, client, 0) })
	both.Go(func() { r.copy(client, server, mine) })
	both.Wait()
}

// copy passes on what comes until either end is closed, then closes both. number is that of the
// connection whose bytes from the server are counted, 0 for the other direction.
func (r *relay) copy(dst, src net.Conn, number int) {
	defer dst.Close()
	defer src.Close()
	data := make([]byte, 32<<10)
	for {
		n, err := src.Read(data)
		if n > 0 {
			if r.delay != nil {
				if held := r.delay(number > 0, data[:n]); held != nil {
					select {
					case <-held:
					case <-r.closed:
					}
				}
			}
			if _, err := dst.Write(data[:n]); err != nil {
				return
			}
			r.mu.Lock()
			if number == r.opened {
				r.received += n
			}
			r.mu.Unlock()
		}
		if err != nil {
			return
		}
	}
}

// ready reports whether a server takes new clients.
func ready(url string) bool {
	resp, err := http.Get(url + "/readyz")
	if err != nil {
		return false
	}
	resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}
