package live

import (
	"context"
	"fmt"
	"slices"
	"time"

	"tapedeck/schema/lifecycle/tombstone"
)

// readDeleted reads a session's tombstone, which another server may have written.
func (l *Library) readDeleted(ctx context.Context, s *session) error {
	if l.opts.Deleted == nil {
		return nil
	}
	if err := l.opts.Deleted.Ask(ctx, s.key()); err != nil {
		return fmt.Errorf("read its tombstone: %w", err)
	}
	return nil
}

// undeleted returns the blocks that are not deleted: a tail may have received deleted blocks before
// their tombstone.
func (l *Library) undeleted(ctx context.Context, s *session, pieces []*piece) []*piece {
	if len(pieces) == 0 || l.opts.Deleted == nil || l.opts.Deleted.Known(s.key()) == nil {
		return pieces
	}
	return slices.DeleteFunc(pieces, func(p *piece) bool { return l.deleted(ctx, s, p.state.StreamID) })
}

// deleted reports whether a stream is deleted, for a block of it that has just arrived.
func (l *Library) deleted(ctx context.Context, s *session, stream string) bool {
	return l.opts.Deleted != nil && l.opts.Deleted.Covers(ctx, s.key(), stream, time.Now())
}

func (s *session) key() tombstone.Key { return tombstone.Key{Tenant: s.tenant, Session: s.id} }

// deleted reports whether all known streams of the tape are deleted. Its readers then end.
func (t *tape) deleted() bool {
	set := t.library.opts.Deleted
	if set == nil {
		return false
	}
	stone := set.Known(t.session.key())
	if stone == nil {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for id := range t.streams {
		if !stone.Covers(id) {
			return false
		}
	}
	return true
}
