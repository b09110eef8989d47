package agenthistory

import (
	"context"
	"io"

	"tapedeck/schema"
)

// scanned is the result of a scan.
type scanned struct {
	stream     string
	generation int
	known      *entry // the durable part of the stream; nil for none
	next       uint64 // all frames before this number are durable and unchanged
	copies     bits   // the frames that other streams own
	copied     uint64 // number of copies
	own        uint64 // number of frames that are identified and not copies
	lines      idList // lines that the stream owns now

	frames     uint64 // complete frames
	offset     int64  // bytes of these frames
	digest     uint64
	read       int64 // bytes that are recorded
	unfinished bool  // the last line is not complete
	elsewhere  bool  // the server has these bytes in a recording that was not made from an agent's file
	unread     bool  // the source was not read: it is new, and has no copies
}

// nothingNew reports whether nothing is to be recorded.
func (c *scanned) nothingNew() bool { return !c.unread && c.frames == c.next && c.read == c.offset }

// onlyCopies reports whether other streams own all lines of the source.
func (c *scanned) onlyCopies() bool { return c.next == 0 && c.copied > 0 && c.own == 0 }

// scan reads a source, compares it with the durable part, and finds the frames that are copies. The
// stream becomes the owner of the other lines. Sources are scanned one after the other, so that the
// first source owns a line regardless of the order in which they are recorded.
func (p *Progress) scan(ctx context.Context, s *Source, limit int) (*scanned, error) {
	c := &scanned{stream: s.streamID(0)}
	if c.known = s.entry; c.known != nil {
		c.stream, c.generation, c.next = c.known.Stream, c.known.Generation, c.known.Frames
	}
	if c.known == nil && dialects[s.Agent] == "opencode" { // its sessions have no copies, and reading one costs a query
		c.unread = true
		return c, nil
	}
	ids, same, err := p.compareContent(ctx, s, c, limit)
	if err != nil {
		return nil, err
	}
	switch {
	case same:
	case s.kind != lines && c.frames >= c.next: // its messages were rewritten in place
		c.next = 0
	default:
		c = &scanned{generation: c.generation + 1}
		c.stream = s.streamID(c.generation)
		if ids, _, err = p.compareContent(ctx, s, c, limit); err != nil {
			return nil, err
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if c.onlyCopies() {
		return c, nil
	}
	c.lines = p.owners().claim(c.stream, ids)
	return c, nil
}

// compareContent reads a source to its end. It reports whether the source begins with the durable
// part of the stream, and returns the ids of the source's frames.
func (p *Progress) compareContent(
	ctx context.Context, s *Source, c *scanned, limit int,
) (ids idList, same bool, err error) {
	from, err := s.open()
	if err != nil {
		return nil, false, err
	}
	defer from.Close()
	identify := identifier{source: s}
	same = c.known == nil || c.known.Frames == 0
	c.copied, c.own, c.copies = 0, 0, nil
	var split *splitter
	split = newSplitter(s, limit, func(f *schema.Frame) error {
		if of := identify.of(f.Raw); len(of) > 0 {
			if p.isCopy(c.stream, of) {
				c.copies.set(split.frames)
				c.copied++
			} else {
				c.own++
				ids = append(ids, of...)
			}
		}
		if !same && split.frames+1 == c.known.Frames {
			same = split.digest.Sum64() == c.known.Digest
		}
		return nil
	})
	between := func() error { return context.Cause(ctx) }
	if err := split.split(from, between); err != nil {
		return nil, false, err
	}
	c.frames, c.offset, c.digest, c.unfinished = split.frames, split.offset, split.digest.Sum64(), split.unfinished()
	c.read = c.offset
	if split.ended() {
		c.read += int64(len(split.tail()))
	}
	return ids, same, split.end()
}

// isCopy reports whether another stream owns a line.
func (p *Progress) isCopy(stream string, ids []uint64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.owners().other(stream, ids)
}

// limited returns a reader of the part of a source that was scanned.
func (c *scanned) limited(s *Source, from io.Reader) io.Reader {
	if s.kind != lines {
		return from
	}
	return io.LimitReader(from, c.read)
}

// bits is a set of numbers.
type bits []uint64

func (b *bits) set(n uint64) {
	for uint64(len(*b)) <= n/64 {
		*b = append(*b, 0)
	}
	(*b)[n/64] |= 1 << (n % 64)
}

func (b bits) has(n uint64) bool { return n/64 < uint64(len(b)) && b[n/64]&(1<<(n%64)) != 0 }
