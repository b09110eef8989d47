package upload

import (
	"sync"

	"tapedeck/ingest"
)

// ledger keeps which of a client's parcels are settled, and what it is to be
// told.
type ledger struct {
	wake chan struct{} // something is to be told

	mu       sync.Mutex // guards all below
	count    uint64     // parcels entered; the next one's number
	acked    uint64     // all below are settled
	told     uint64     // all below the client knows of
	settled  map[uint64]struct{}
	refusals []refusal
	broken   bool // one was refused for now: the link ends
	closed   bool // no more are entered
}

// enter gives a parcel its number; false if the link is to end.
func (l *ledger) enter() (uint64, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || l.broken {
		return 0, false
	}
	l.count++
	return l.count - 1, true
}

// settle notes a parcel's fate. One that was refused for now stays open, and
// with it all behind it: its client sends them again, in order.
func (l *ledger) settle(number uint64, err error) {
	l.mu.Lock()
	defer signal(l.wake)
	defer l.mu.Unlock()
	if err != nil {
		permanent := ingest.IsPermanent(err)
		l.refusals = append(l.refusals, refusal{Number: number, Permanent: permanent, Deleted: ingest.IsDeleted(err), Reason: clip(err.Error())})
		if !permanent {
			l.broken = true
			return
		}
	}
	if l.settled == nil {
		l.settled = map[uint64]struct{}{}
	}
	l.settled[number] = struct{}{}
	for {
		if _, ok := l.settled[l.acked]; !ok {
			return
		}
		delete(l.settled, l.acked)
		l.acked++
	}
}

// close has no more parcels entered.
func (l *ledger) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	signal(l.wake)
}

// news is what a client is to be told.
type news struct {
	refusals []refusal
	ack      *uint64 // the last number that is settled
	open     bool    // some are not settled
	broken   bool
	closed   bool
}

func (l *ledger) take() news {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := news{refusals: l.refusals, open: l.acked < l.count, broken: l.broken, closed: l.closed}
	l.refusals = nil
	if l.acked > l.told {
		l.told = l.acked
		last := l.acked - 1
		n.ack = &last
	}
	return n
}

// clip bounds a reason so that it fits into a message.
func clip(reason string) string {
	const most = 4 << 10
	if len(reason) > most {
		return reason[:most] + "…"
	}
	return reason
}
