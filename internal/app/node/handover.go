package node

import (
	"context"
	"time"
)

const (
	handOverPoll = 20 * time.Millisecond
	// closeReserve is the time that HandOver leaves for Close.
	closeReserve = time.Second
)

// HandOver waits until JetStream has accepted the blocks of the spool, at most until a second
// before the deadline of ctx, and not while NATS is disconnected. It logs which blocks stay on
// disk. The caller publishes no blocks meanwhile.
func (n *Node) HandOver(ctx context.Context) {
	if n.Spool == nil {
		return
	}
	end, bounded := ctx.Deadline()
	for n.Spool.State().Blocks > 0 && n.NATS.IsConnected() && ctx.Err() == nil && (!bounded || time.Until(end) > closeReserve) {
		time.Sleep(handOverPoll)
	}
	if st := n.Spool.State(); st.Blocks > 0 {
		n.Log.Warn("node: recorded blocks stay in the spool: the next server on this directory sends them, and so does \"tapedeck flush --spool\"",
			"dir", st.Dir, "blocks", st.Blocks, "bytes", st.Bytes, "reason", st.LastError)
	}
}
