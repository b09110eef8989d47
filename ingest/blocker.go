package ingest

import (
	"slices"
	"strconv"

	"tapedeck/schema"
	"tapedeck/schema/block"
)

// blocker packs the frames and facts of segments into blocks and passes the blocks to the sender.
// Each block also carries the ends of segments that were closed since the last block, so that an
// end alone needs no block.
type blocker struct {
	settings *Settings
	position *position
	sender   *sender
	tenant   string
	stream   string // its id
	opened   int64  // when this process opened the stream, ns

	next   uint64     // seq after the last added frame
	open   []*segment // segments with waiting frames, ordered by their first waiting frame
	closed []closedSegment
	count  uint64 // number of blocks that were cut
}

// closedSegment is a segment whose end waits for a block.
type closedSegment struct {
	*segment
	at uint64 // the stream's next frame when the segment was closed
}

// closedPerBlock bounds the number of ends in one block.
const closedPerBlock = 64

// add adds a frame to the block of a segment.
func (b *blocker) add(g *segment, f *schema.Frame) {
	b.next = f.Seq + 1
	if g.builder == nil {
		g.builder, g.first = block.NewBuilder(), f.Seq
		b.open = append(b.open, g)
	}
	g.builder.Add(f)
}

// full reports whether a segment's frames fill a block.
func (b *blocker) full(g *segment) bool {
	return g.builder != nil && (g.builder.Frames() >= b.settings.BlockFrames || g.builder.Size() >= b.settings.BlockBytes)
}

// close adds the end of a segment to the stream's next block.
func (b *blocker) close(g *segment) {
	b.closed = append(b.closed, closedSegment{g, b.position.taken})
}

// cut cuts a block of the frames and facts that wait in a segment. If none wait, the block has only
// the segment's state.
func (b *blocker) cut(g *segment) {
	builder := g.builder
	if builder == nil {
		builder = block.NewBuilder()
	} else {
		i := slices.Index(b.open, g)
		b.open = slices.Delete(b.open, i, i+1)
	}
	frames := builder.Frames()
	data := builder.Encode(nil, &block.Block{
		Tenant: b.tenant, Session: g.session, State: g.state, Facts: g.facts, Left: b.takeClosed(),
	}, block.S2)
	builder.Release()
	g.builder, g.facts = nil, block.Facts{}
	b.count++
	id := b.stream + "." + strconv.FormatInt(b.opened, 36) + "." + strconv.FormatUint(b.count, 36)
	b.sender.send(EncodedBlock{Tenant: b.tenant, Session: g.session, ID: id, Frames: frames, Data: data}, b.waiting())
}

// cutClosed cuts blocks for the ends that are in no block yet.
func (b *blocker) cutClosed() {
	for len(b.closed) > 0 {
		b.cut(b.closed[0].segment)
	}
}

// takeClosed returns the ends for the next block.
func (b *blocker) takeClosed() []block.Left {
	if len(b.closed) == 0 {
		return nil
	}
	left := make([]block.Left, min(len(b.closed), closedPerBlock))
	for i, g := range b.closed[:len(left)] {
		left[i] = block.Left{Session: g.session, State: g.state}
	}
	b.closed = slices.Delete(b.closed, 0, len(left))
	return left
}

// waiting returns the lowest seq that is not in a block yet: the seq of a waiting frame, or the seq
// at which a segment was closed if its end still waits for a block.
func (b *blocker) waiting() uint64 {
	lowest := b.next
	if len(b.closed) > 0 {
		lowest = min(lowest, b.closed[0].at)
	}
	if len(b.open) > 0 {
		lowest = min(lowest, b.open[0].first)
	}
	return lowest
}
