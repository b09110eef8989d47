package ingest

import (
	"encoding/binary"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// copies recognises lines that a file repeats. Agents write earlier lines again when they branch a
// session or compact it a second time; such a line states the time of its original. A line is a
// copy in one of these cases:
//
//   - the tap or the line itself (forkedFrom) marks it as a copy;
//   - an earlier line has the same uuid, or the same id or message id with the same time; for a
//     line without ids, the same text;
//   - its time, which has a fraction of a second, equals the time of an earlier line and is before
//     the latest time of its session.
type copies struct {
	young, old map[uint64]struct{}
	newest     map[string]int64 // the latest time of each session so far, ns
	session    string           // session of the previous line
	digest     xxhash.Digest
}

// copyKeys bounds each of the two sets of hashes. A hash takes about 20 bytes, and a line has up to
// three hashes. A copy is not recognised if more than this many hashes lie between it and its
// original.
const copyKeys = 1 << 19

// copySessions bounds the sessions whose latest time is kept.
const copySessions = 1024

// has reports whether a line is a copy, and remembers the line. It must be called with the lines in
// their order. at is the time that the line states, ns; 0 for none. session is the session that the
// line names; "" for none.
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
	if c.newest == nil || len(c.newest) >= copySessions {
		c.newest = map[string]int64{}
	}
	c.newest[c.session] = max(c.newest[c.session], at)
	return copied
}

// seen reports whether an earlier line had the id, of the given kind and with the given time, and
// remembers the id.
func (c *copies) seen(kind byte, id []byte, at int64) bool {
	var head [9]byte
	head[0] = kind
	binary.LittleEndian.PutUint64(head[1:], uint64(at))
	c.digest.Reset()
	_, _ = c.digest.Write(head[:]) // Write never returns an error
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
