package torture

import (
	"io"
	"net"
	"sync"
	"time"
)

// wire is a TCP connection's way through here, where it can be cut in the
// middle of a message.
type wire struct {
	listener net.Listener
	to       string
	busy     sync.WaitGroup

	mu    sync.Mutex // guards what follows
	conns map[net.Conn]bool
	down  bool // new connections are refused
	lag   time.Duration
}

// newWire listens on loopback and passes on to an address.
func newWire(to string) (*wire, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	w := &wire{listener: l, to: to, conns: map[net.Conn]bool{}}
	w.busy.Go(w.accept)
	return w, nil
}

func (w *wire) addr() string { return w.listener.Addr().String() }

func (w *wire) accept() {
	for {
		c, err := w.listener.Accept()
		if err != nil {
			return
		}
		w.busy.Go(func() { w.pass(c) })
	}
}

func (w *wire) pass(client net.Conn) {
	defer client.Close()
	if !w.keep(client) {
		return
	}
	defer w.forget(client)
	server, err := net.Dial("tcp", w.to)
	if err != nil {
		return
	}
	defer server.Close()
	if !w.keep(server) {
		return
	}
	defer w.forget(server)
	var both sync.WaitGroup
	copyTo := func(dst, src net.Conn) {
		w.copy(dst, src) // cut or ended: both ends go
		dst.Close()
		src.Close()
	}
	both.Go(func() { copyTo(server, client) })
	both.Go(func() { copyTo(client, server) })
	both.Wait()
}

// copy passes data on, each piece later by the delay of the wire.
func (w *wire) copy(dst io.Writer, src net.Conn) {
	type piece struct {
		data []byte
		due  time.Time
	}
	under := make(chan piece, 256)
	go func() {
		defer close(under)
		for {
			data := make([]byte, 32<<10)
			n, err := src.Read(data)
			if n > 0 {
				w.mu.Lock()
				due := time.Now().Add(w.lag)
				w.mu.Unlock()
				under <- piece{data[:n], due}
			}
			if err != nil {
				return
			}
		}
	}()
	broken := false
	for p := range under {
		if broken {
			continue
		}
		time.Sleep(time.Until(p.due)) // the delay of a slow wire
		if _, err := dst.Write(p.data); err != nil {
			broken = true
			src.Close()
		}
	}
}

// slow has all that comes from now on arrive later, until mend.
func (w *wire) slow(lag time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lag = lag
}

func (w *wire) keep(c net.Conn) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.down {
		return false
	}
	w.conns[c] = true
	return true
}

func (w *wire) forget(c net.Conn) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.conns, c)
}

// cut breaks all connections, wherever in a message they are.
func (w *wire) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for c := range w.conns {
		if tcp, ok := c.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0) // a reset, and what is under way is lost
		}
		c.Close()
	}
}

// sever cuts, and refuses connections until mend.
func (w *wire) sever() {
	w.mu.Lock()
	w.down = true
	w.mu.Unlock()
	w.cut()
}

func (w *wire) mend() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.down, w.lag = false, 0
}

func (w *wire) close() {
	w.listener.Close()
	w.sever()
	w.busy.Wait()
}
