package access

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// copied is a server's copy of the bucket.
type copied struct {
	byHash   map[digest]*stored
	byID     map[string]*stored
	used     map[string]time.Time // by id
	noted    map[string]time.Time // when this server last wrote a use, by id
	revision uint64               // the last revision that arrived
	open     map[string]map[*grant]struct{}
}

func (c *copied) reset() {
	c.byHash, c.byID, c.used = map[digest]*stored{}, map[string]*stored{}, map[string]time.Time{}
	if c.noted == nil {
		c.noted, c.open = map[string]time.Time{}, map[string]map[*grant]struct{}{}
	}
	c.revision = 0
}

// apply applies a change. It returns the grants that end with it.
func (c *copied) apply(e jetstream.KeyValueEntry, bucket string, log *slog.Logger) (ended []*grant) {
	c.revision = max(c.revision, e.Revision())
	if id, is := strings.CutPrefix(e.Key(), usedKey); is {
		if at, err := time.Parse(time.RFC3339Nano, string(e.Value())); err == nil {
			c.used[id] = at
		}
		return nil
	}
	id, is := strings.CutPrefix(e.Key(), tokenKey)
	if !is {
		return nil
	}
	if was := c.byID[id]; was != nil {
		d, _ := was.digest()
		delete(c.byHash, d)
		delete(c.byID, id)
	}
	gone := e.Operation() != jetstream.KeyValuePut
	if !gone {
		entry, err := parseStored(e.Value())
		if err != nil || entry.ID != id { // such an entry is unusable
			log.Error("access: an entry cannot be read and is refused", "key", e.Key(), "bucket", bucket, "error", err)
			gone = true
		} else {
			d, _ := entry.digest()
			c.byHash[d], c.byID[id] = entry, entry
			gone = entry.RevokedAt != nil
		}
	}
	if gone {
		for g := range c.open[id] {
			ended = append(ended, g)
		}
		delete(c.open, id)
	}
	return ended
}

// drop returns the grants of tokens that are not in the copy.
func (c *copied) drop() (ended []*grant) {
	for id, grants := range c.open {
		if t := c.byID[id]; t != nil && t.RevokedAt == nil {
			continue
		}
		for g := range grants {
			ended = append(ended, g)
		}
		delete(c.open, id)
	}
	return ended
}

// all returns the grants of all tokens.
func (c *copied) all() (ended []*grant) {
	for id, grants := range c.open {
		for g := range grants {
			ended = append(ended, g)
		}
		delete(c.open, id)
	}
	return ended
}

// prune removes entries that expired some time ago: the bucket has removed them, which it does not
// announce.
func (c *copied) prune(before time.Time) {
	for id, e := range c.byID {
		if e.ExpiresAt == nil || !e.ExpiresAt.Before(before) {
			continue
		}
		d, _ := e.digest()
		delete(c.byHash, d)
		delete(c.byID, id)
		delete(c.used, id)
		delete(c.noted, id)
	}
}

// grant is an accepted request.
type grant struct{ end context.CancelCauseFunc }
