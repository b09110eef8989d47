package live

import (
	"context"
	"slices"
	"sort"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"tapedeck/internal/budget"
)

// tail holds the latest blocks of one session for all of its readers.
type tail struct {
	library *Library
	session *session
	cancel  context.CancelFunc
	done    chan struct{}

	readers, left int         // guarded by the library's lock
	several       atomic.Bool // there are several readers

	ends ends

	mu      sync.Mutex // guards the fields below
	pieces  []*piece
	bytes   int
	latest  []*piece      // the latest pieces, of which encodings are kept
	encoded int           // bytes that the encodings of latest may take
	charge  *budget.Grant // charged for bytes and encoded
	low     uint64        // pieces contains all received blocks from this number on
	high    uint64        // the number of the latest received block
	broken  bool          // the last consumer failed and is not replaced yet
	changed chan struct{} // closed and replaced when a block arrives, or low rises
}

func newTail(l *Library, s *session, from uint64) *tail {
	ctx, cancel := context.WithCancel(context.Background())
	t := &tail{
		library: l, session: s, cancel: cancel, done: make(chan struct{}),
		low: from, changed: make(chan struct{}), charge: l.opts.Budget.Shared(),
	}
	go func() {
		defer close(t.done)
		t.run(ctx, &pull{library: l, session: s, next: from})
	}()
	return t
}

func (t *tail) end() {
	t.cancel()
	<-t.done
	t.mu.Lock()
	defer t.mu.Unlock()
	t.clear()
}

// clear drops all blocks. The caller holds mu.
func (t *tail) clear() {
	t.charge.Adjust(-int64(t.bytes + t.encoded))
	t.pieces, t.bytes = nil, 0
	t.shrink(0)
}

// share keeps encodings of a new piece for several readers, and drops the encodings of older
// pieces. Followers that are not late take encodings from the latest pieces; others encode frames
// by themselves. The caller holds mu.
func (t *tail) share(p *piece) {
	if !t.several.Load() {
		t.shrink(0)
		return
	}
	p.share()
	t.latest = append(t.latest, p)
	t.encoded += p.encoded()
	t.shrink(encodedBytes)
}

// shrink drops encodings until they take at most so many bytes. The caller holds mu.
func (t *tail) shrink(most int) {
	for t.encoded > most {
		t.encoded -= t.latest[0].encoded()
		t.latest[0].encodings.Store(nil)
		t.latest[0] = nil
		t.latest = t.latest[1:]
	}
}

// encodedBytes bounds the encodings that one tail keeps. At 1,000 frames of 200 bytes per second
// they cover the last 1.6 s.
const encodedBytes = 2 << 20

// run receives blocks until ctx ends, with a new consumer whenever one fails.
func (t *tail) run(ctx context.Context, p *pull) {
	defer p.close()
	for failures := 0; ; failures++ {
		before := p.next
		err := t.receive(ctx, p)
		if ctx.Err() != nil {
			return
		}
		t.setReceiving(false)
		if p.next > before {
			failures = 0
		}
		if failures == 1 {
			t.library.opts.Log.Warn("live: receiving blocks failed, retrying", "session", t.session, "error", err)
		}
		p.close()
		select {
		case <-ctx.Done():
			return
		case <-time.After(min(time.Second, time.Duration(failures+1)*100*time.Millisecond)):
		}
	}
}

// receive receives blocks from one consumer.
func (t *tail) receive(ctx context.Context, p *pull) error {
	if err := p.open(ctx); err != nil {
		return err
	}
	first, err := t.library.first(ctx, t.session)
	if err != nil {
		return err
	}
	if first > p.next { // blocks that were removed meanwhile are stored, and readers read them from the store
		t.raiseLow(first)
	}
	messages, err := p.consumer.Messages(jetstream.PullMaxMessages(pullBlocks*4), jetstream.PullExpiry(20*time.Second),
		jetstream.PullHeartbeat(2*time.Second))
	if err != nil {
		return err
	}
	defer messages.Stop()
	t.setReceiving(true)
	for last := (time.Time{}); ; last = time.Now() {
		m, err := p.await(ctx, messages)
		if err != nil {
			return err
		}
		before := p.next
		b, err := p.take(m)
		if err != nil {
			return err
		}
		if p.next-1 > before && time.Since(last) > gapCheck {
			if first, err := t.library.first(ctx, t.session); err != nil {
				p.next = before // the block was not added, so the next consumer begins with it
				return err
			} else if first > before {
				t.raiseLow(p.next - 1)
			}
		}
		t.add(b, p.next-1)
	}
}

// gapCheck is the time without a message after which a tail checks whether JetStream removed blocks
// before they were received. It is much shorter than the time for which blocks are kept.
const gapCheck = time.Second

// setReceiving records whether a consumer is receiving blocks.
func (t *tail) setReceiving(on bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.broken = !on
}

// receiving reports whether blocks are received as soon as JetStream has them.
func (t *tail) receiving() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return !t.broken
}

// add adds a block, which is nil if the message had none or was unreadable.
func (t *tail) add(b *piece, number uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.high = number
	before := t.bytes + t.encoded
	if b != nil {
		t.pieces = append(t.pieces, b)
		t.bytes += b.size
		t.share(b)
		oldest := b.at.Add(-t.library.opts.TailAge)
		for len(t.pieces) > 1 && (t.bytes > t.library.opts.TailBytes || t.pieces[0].at.Before(oldest)) {
			t.bytes -= t.pieces[0].size
			t.low = t.pieces[0].number + 1
			t.pieces[0] = nil
			t.pieces = t.pieces[1:]
		}
	}
	t.charge.Adjust(int64(t.bytes + t.encoded - before))
	t.notify()
}

// raiseLow drops all blocks and continues at low, if that is higher.
func (t *tail) raiseLow(low uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if low > t.low {
		t.clear()
		t.low = low
		t.notify()
	}
}

// notify wakes waiting readers. The caller holds mu.
func (t *tail) notify() {
	close(t.changed)
	t.changed = make(chan struct{})
}

// from returns blocks from a number on, the number at which further blocks may follow, and a
// channel that is closed when there may be more. If low is above the first number, the tail no
// longer has those blocks and returns none.
func (t *tail) from(next uint64) (pieces []*piece, after uint64, changed <-chan struct{}, low uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if next < t.low {
		return nil, next, nil, t.low
	}
	at := sort.Search(len(t.pieces), func(i int) bool { return t.pieces[i].number >= next })
	if len(t.pieces)-at > pullBlocks {
		pieces = slices.Clone(t.pieces[at : at+pullBlocks])
		return pieces, pieces[pullBlocks-1].number + 1, t.changed, t.low
	}
	return slices.Clone(t.pieces[at:]), max(next, t.high+1), t.changed, t.low
}

// reached reports whether all blocks up to a number were received or are stored. The channel is
// closed when more blocks are.
func (t *tail) reached(number uint64) (bool, <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.high >= number || t.low > number, t.changed
}
