package websocket

import (
	"context"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
)

// ackTimeout bounds one write to a client: one that does not read what it is
// told is cut off.
const ackTimeout = 10 * time.Second

// acks tell a client what is durable.
type acks struct {
	next atomic.Int64 // the highest durable seq, -1 for none
	wake chan struct{}

	mu   sync.Mutex // guards told, and the order of what is written
	told int64      // one above the seq that the client was told last
}

func (a *acks) init() {
	a.next.Store(-1)
	a.wake = make(chan struct{}, 1)
}

// durable is told that all frames below next are.
func (a *acks) durable(next uint64) {
	a.next.Store(int64(next) - 1)
	select {
	case a.wake <- struct{}{}:
	default: // awake already; it will tell the newest
	}
}

// tell tells the client whenever there is more, until ended.
func (a *acks) tell(conn *websocket.Conn, ended <-chan struct{}) {
	for {
		select {
		case <-a.wake:
			a.send(conn)
		case <-ended:
			return
		}
	}
}

// send tells the client how far its frames are durable, if that is more than
// it was told. A connection that fails is for its reader to notice.
func (a *acks) send(conn *websocket.Conn) {
	a.mu.Lock()
	defer a.mu.Unlock()
	seq := a.next.Load()
	if seq < a.told {
		return
	}
	a.told = seq + 1
	text := strconv.AppendInt([]byte(`{"ack":`), seq, 10)
	_ = a.writeLocked(conn, append(text, '}'))
}

// write writes another message to the client.
func (a *acks) write(conn *websocket.Conn, text []byte) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.writeLocked(conn, text)
}

func (a *acks) writeLocked(conn *websocket.Conn, text []byte) error {
	ctx, cancel := context.WithTimeout(context.Background(), ackTimeout)
	defer cancel()
	return conn.Write(ctx, websocket.MessageText, text)
}
