package websocket

import (
	"context"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
)

// ackTimeout bounds one write to a client: the connection of one that does not read is cut.
const ackTimeout = 10 * time.Second

// acks writes to a client up to which frame its stream is durable.
type acks struct {
	conn *websocket.Conn // set before the first frame is recorded
	next atomic.Int64    // the highest durable seq, -1 for none
	due  atomic.Bool     // an acknowledgement is about to be written

	begin func(work func()) // runs work in another goroutine
	flush func()            // is send

	mu    sync.Mutex // guards acked, and the order of what is written
	acked int64      // one above the seq that was written last
}

func (a *acks) init(begin func(func())) {
	a.next.Store(-1)
	a.begin, a.flush = begin, a.send
}

// resume begins with the frames that are durable already, which are acknowledged in any
// case.
func (a *acks) resume(durable int64) {
	a.next.Store(durable)
	a.acked = -1
}

// durable records that all frames below next are durable.
func (a *acks) durable(next uint64) {
	a.next.Store(int64(next) - 1)
	if !a.due.Swap(true) { // otherwise the newest seq is about to be written
		a.begin(a.flush)
	}
}

// send acknowledges the durable frames that were not acknowledged so far. A connection that
// fails is for its reader to notice.
func (a *acks) send() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.due.Store(false)
	seq := a.next.Load()
	if seq < a.acked {
		return
	}
	a.acked = seq + 1
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
