package ingest

import (
	"encoding/binary"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// copies recognises lines that a file writes once more, as agents do when they branch a session or
// compact it a second time: their times are those of the first time. A line is a copy if
//
//   - the tap or the line itself (forkedFrom) says so,
//   - an earlier line has its uuid, or its id or its message's and its time, or else all of its text,
//   - it goes back to the time of an earlier line to the fraction of a second.
type copies struct {
	young, old map[uint64]struct{}
	newest     map[string]int64 // the greatest time read in each session, ns
	session    string           // of the line before
	digest     xxhash.Digest
}

// copyKeys bounds each of the two sets of hashes, which take about 20 bytes a hash; a line has up to
// three. Copies that are further from their originals are not recognised.
const copyKeys = 1 << 19

// has reports whether a line is a copy, and remembers it. Lines are given in their order. at is the
// time that the line states, ns, 0 for none, and session the session that it names, "" for none.
func (c *copies) has(in *dialect.Input, at int64, session string) bool {
	copied := in.Flags.Has(schema.FlagCopied)
	identified := false
	if in.JSON != nil && in.JSON.Type() == fastjson.TypeObject {
		copied = copied || in.JSON.Get("forkedFrom") != nil
		if id := in.JSON.GetStringBytes("uuid"); len(id) > 0 {
			identified = true
			copied = c.seen('u', id, 0) || copied
		}
		for _, path := range [...][]string{{"id"}, {"message", "id"}} {
			if id := in.JSON.GetStringBytes(path...); len(id) > 0 {
				identified = true
				copied = c.seen('i', id, at) || copied
				break
			}
		}
	}
	if !identified && len(in.Data) > 0 && at != 0 {
		copied = c.seen('d', in.Data, at) || copied
	}
	if session != "" {
		c.session = session
	}
	if at == 0 {
		return copied
	}
	if at%int64(time.Second) != 0 && c.seen('t', nil, at) && at < c.newest[c.session] {
		copied = true
	}
	if c.newest == nil || len(c.newest) >= clockSessions {
		c.newest = map[string]int64{}
	}
	c.newest[c.session] = max(c.newest[c.session], at)
	return copied
}

// seen reports whether an earlier line had an id of a kind and time, and remembers it.
func (c *copies) seen(kind byte, id []byte, at int64) bool {
	var head [9]byte
	head[0] = kind
	binary.LittleEndian.PutUint64(head[1:], uint64(at))
	c.digest.Reset()
	_, _ = c.digest.Write(head[:]) // it never fails
	_, _ = c.digest.Write(id)
	h := c.digest.Sum64()
	if _, ok := c.young[h]; ok {
		return true
	}
	_, ok := c.old[h]
	if c.young == nil || len(c.young) >= copyKeys {
		c.young, c.old = map[uint64]struct{}{}, c.young
	}
	c.young[h] = struct{}{}
	return ok
}
