package live

// chain classifies a stream's frames in the blocks that a snapshot reads: new frames, in
// consecutive blocks, and frames of blocks that were resent or late.
type chain struct {
	fresh ranges // frames of the consecutive blocks, up to the last block
	other ranges // frames of other blocks
	seen  ranges // frames before the start of the snapshot
	began bool
	// part, count and end describe the last block: the first frame of its segment, the number of
	// frames of the segment up to its end, and the number after its last frame. start is the frame
	// number at which the consecutive blocks that end with it begin.
	part, count, end uint64
	start            uint64
}

// add adds the next block. Blocks below cursor, and frames up to the frame of from, are before the
// start of the snapshot.
func (c *chain) add(p *piece, cursor uint64, from *liveAt) {
	if len(p.frames) == 0 {
		return
	}
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
	switch {
	case p.number < cursor:
		c.seen.add(first, end)
	case from != nil && p.number == from.block && p.state.StreamID == from.stream:
		c.seen.add(first, from.seq+1)
		c.fresh.add(from.seq+1, end)
	default:
		c.fresh.add(first, end)
	}
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
	for _, r := range []ranges{c.other, c.seen} {
		for _, s := range r {
			all.add(s.first, s.end)
		}
	}
	return all
}
