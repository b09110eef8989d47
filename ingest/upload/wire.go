package upload

import (
	"context"
	"net"
	"sync"
)

// pieceSize is the size in which coder/websocket hands the bytes of a long
// message to the connection.
const pieceSize = 4096

// gatherConn puts such pieces together before it writes, which saves most of
// the system calls of a client that sends blocks. Whatever else is written goes
// out at once with what was gathered; after a message flush must be called.
type gatherConn struct {
	net.Conn
	mu  sync.Mutex // guards buf
	buf []byte
}

const gatherSize = 256 << 10

func (c *gatherConn) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.buf) == 0 && len(p) != pieceSize {
		return c.Conn.Write(p)
	}
	c.buf = append(c.buf, p...)
	if len(p) == pieceSize && len(c.buf) < gatherSize {
		return len(p), nil
	}
	return len(p), c.writeOut()
}

func (c *gatherConn) flush() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.buf) == 0 {
		return nil
	}
	return c.writeOut()
}

// writeOut needs the lock.
func (c *gatherConn) writeOut() error {
	_, err := c.Conn.Write(c.buf)
	c.buf = c.buf[:0]
	return err
}

func dialGathering(ctx context.Context, network, address string) (net.Conn, error) {
	c, err := (&net.Dialer{}).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return &gatherConn{Conn: c, buf: make([]byte, 0, gatherSize+pieceSize)}, nil
}
