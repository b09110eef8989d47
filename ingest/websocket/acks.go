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
	conn *websocket.Conn // set before the first frame is recorded
	next atomic.Int64    // the highest durable seq, -1 for none
	due  atomic.Bool     // the client is about to be told

	begin func(work func()) // has work done in another goroutine
	send  func()            // is tell

	mu   sync.Mutex // guards told, and the order of what is written
	told int64      // one above the seq that the client was told last
}

func (a *acks) init(begin func(func())) {
	a.next.Store(-1)
	a.begin, a.send = begin, a.tell
}

// resume begins with the frames that are durable already, which are acknowledged in any
// case.
func (a *acks) resume(durable int64) {
	a.next.Store(durable)
	a.told = -1
}

// durable is told that all frames below next are.
func (a *acks) durable(next uint64) {
	a.next.Store(int64(next) - 1)
	if !a.due.Swap(true) { // else it will be told the newest
		a.begin(a.send)
	}
}

// tell tells the client how far its frames are durable, if that is more than
// it was told. A connection that fails is for its reader to notice.
func (a *acks) tell() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.due.Store(false)
	seq := a.next.Load()
	if seq < a.told {
		return
	}
	a.told = seq + 1
	text := strconv.AppendInt([]byte(`{"ack":`), seq, 10)
	_ = a.writeLocked(append(text, '}'))
}

// write writes another message to the client.
func (a *acks) write(text []byte) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.writeLocked(text)
}

func (a *acks) writeLocked(text []byte) error {
	ctx, cancel := context.WithTimeout(context.Background(), ackTimeout)
	defer cancel()
	return a.conn.Write(ctx, websocket.MessageText, text)
}
