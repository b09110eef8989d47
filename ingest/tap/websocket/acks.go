package websocket

import (
	"context"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
)

// ackTimeout bounds one write to a client: if it does not read, its connection is cut off.
const ackTimeout = 10 * time.Second

// acks sends a client the seq up to which its stream is durable.
type acks struct {
	conn *websocket.Conn // set before the first frame is recorded
	next atomic.Int64    // the highest durable seq, -1 for none
	due  atomic.Bool     // a write of an acknowledgement is pending

	mu    sync.Mutex // guards acked, and the order of writes
	acked int64      // one above the highest seq that was sent
}

// resume sets the number of frames that are durable from the start, which are always acknowledged.
func (a *acks) resume(durable int64) {
	a.next.Store(durable)
	a.acked = -1
}

// durable records that all frames below next are durable. It does not wait for the client: a
// goroutine sends the acknowledgement and ends. At most two goroutines exist, one that writes and
// one that waits for it.
func (a *acks) durable(next uint64) {
	a.next.Store(int64(next) - 1)
	if !a.due.Swap(true) { // otherwise a pending write sends the newest seq
		go a.send()
	}
}

// send acknowledges the durable frames that were not acknowledged yet. It ignores write errors,
// since the reader of the connection detects them.
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
