package jetstream

import (
	"context"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"tapedeck/schema/block"
)

// HasFramesIn reports whether frames of a tenant that arrived in the range [from, to) wait for the
// sink, or may wait. It decodes the blocks that wait, and so does not depend on what publishers
// state.
func (r *WaitingReader) HasFramesIn(ctx context.Context, tenant string, from, to time.Time) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, waitingTimeout)
	defer cancel()
	partitions, err := Partitions(ctx, r.js)
	if err != nil {
		return false, err
	}
	read := amount{began: time.Now()}
	for _, s := range partitions {
		if found, err := r.hasFramesIn(ctx, s, tenant, from, to, &read); err != nil || found {
			return found, err
		}
	}
	return false, nil
}

// hasFramesIn implements HasFramesIn for a partition.
func (r *WaitingReader) hasFramesIn(
	ctx context.Context, s jetstream.Stream, tenant string, from, to time.Time, read *amount,
) (bool, error) {
	first, err := r.unstored(ctx, s)
	if err != nil {
		return false, err
	}
	found := false
	in := func(at int64) bool { return at >= from.UnixNano() && at < to.UnixNano() }
	for last := s.CachedInfo().State.LastSeq; first <= last && !found; {
		m, err := next(ctx, s, tenant, first)
		if err != nil || m == nil {
			return false, err
		}
		all := r.decode(m, func(b *block.Block) {
			for i := range b.Frames {
				found = found || in(b.Frames[i].At)
			}
			if len(b.Frames) == 0 && b.Facts.Len() > 0 { // facts without frames change reports too
				found = found || in(b.State.LastAt)
			}
		})
		found = read.add(m) || found || !all
		first = m.Sequence + 1
	}
	return found, nil
}
