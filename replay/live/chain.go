package live

// chain classifies a stream's frames in the blocks that a snapshot reads. A snapshot relative to
// the stored frames distinguishes new frames, in consecutive blocks, from frames of blocks that
// were resent or late. A snapshot relative to a live frame distinguishes frames that were received.
type chain struct {
	fresh ranges // new frames: of the consecutive blocks up to the last block, or all that are not in seen
	other ranges // frames of other blocks; empty in a snapshot relative to a live frame
	seen  ranges // frames that were received before the live frame
	// gaps are the frame numbers between received blocks where, when the later block was added, the
	// block before it had not been.
	gaps  ranges
	began bool
	// part, count and end describe the last block or, relative to a live frame, the last received
	// block: the first frame of its segment, the number of frames of the segment up to its end, and
	// the number after its last frame. start is the frame number at which the consecutive blocks
	// that end with it begin.
	part, count, end uint64
	start            uint64
}

// addAfter adds the next block of a snapshot relative to a live frame, before which all frames of
// earlier blocks were received. A frame that is in no earlier block is new, in whatever order the
// blocks arrived, unless it precedes all of the earlier blocks, which begin scanBack blocks before.
func (c *chain) addAfter(p *piece, from *liveAt) {
	received := uint64(0) // the number after the block's last received frame
	if c.began && p.number <= from.block && p.state.FirstSeq == c.part && p.before() > c.count {
		c.gaps.add(c.end, p.first())
	}
	switch {
	case p.number < from.block:
		received = p.end()
		if !c.began || p.state.FirstSeq > c.part || p.state.FirstSeq == c.part && p.state.Frames > c.count {
			c.began, c.part, c.count, c.end = true, p.state.FirstSeq, p.state.Frames, p.end()
		}
	case p.number == from.block && p.state.StreamID == from.stream:
		received = from.seq + 1
	}
	if received > 0 {
		first := p.first()
		if len(c.seen) == 0 {
			first = 0 // all frames before the first of the earlier blocks
		}
		c.seen.add(first, received)
	}
	for i := range p.frames {
		if seq := p.frames[i].Seq; !c.seen.has(seq) {
			c.fresh.add(seq, seq+1)
		}
	}
}

// incomplete reports whether frames between the received blocks are in no block that was read. Their
// blocks arrived before the scanned ones, if the first scanned block was resent, or did not arrive
// yet.
func (c *chain) incomplete() bool {
	for _, gap := range c.gaps {
		if !c.seen.covers(gap.first, gap.end) {
			return true
		}
	}
	return false
}

// add adds the next block of a snapshot relative to the stored frames.
func (c *chain) add(p *piece) {
	first, end := p.first(), p.end()
	switch {
	case !c.began || p.state.FirstSeq > c.part:
		if !c.began {
			c.start = first
		} else {
			first = min(first, c.end)
		}
	case p.state.FirstSeq < c.part || p.state.Frames <= c.count:
		if first < c.start { // otherwise the block was resent recently
			c.other.add(first, min(end, c.start))
		}
		return
	case p.before() > c.count: // blocks are missing: those before the gap are older
		c.start = first
		for _, s := range c.fresh {
			c.other.add(s.first, s.end)
		}
		c.fresh = nil
	default:
		first = c.end
	}
	c.began, c.part, c.count, c.end = true, p.state.FirstSeq, p.state.Frames, end
	c.fresh.add(first, end)
}

// close ends the chain. stored is the number after the stream's last stored frame. If that frame is
// not in the chain, the chain is older.
func (c *chain) close(stored uint64) {
	if c.end >= stored {
		return
	}
	for _, s := range c.fresh {
		c.other.add(s.first, s.end)
	}
	c.fresh = nil
}

// all returns the frames of all blocks of the chain.
func (c *chain) all() ranges {
	all := append(ranges(nil), c.fresh...)
	for _, s := range c.other {
		all.add(s.first, s.end)
	}
	return all
}
