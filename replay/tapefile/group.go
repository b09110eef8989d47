package tapefile

import (
	"slices"

	"tapedeck/replay"
	"tapedeck/schema"
	"tapedeck/schema/block"
)

// group collects consecutive frames of a session for one record, with one block per stream.
type group struct {
	blocks      []groupBlock // in order of their first frames
	frames      int
	bytes       int
	first, last schema.Position
}

type groupBlock struct {
	stream  string
	builder *block.Builder
}

// add copies a frame.
func (g *group) add(f *replay.Frame) {
	i := slices.IndexFunc(g.blocks, func(b groupBlock) bool { return b.stream == f.Stream.StreamID })
	if i < 0 {
		i = len(g.blocks)
		g.blocks = append(g.blocks, groupBlock{f.Stream.StreamID, block.NewBuilder()})
	}
	g.blocks[i].builder.Add(&f.Frame)
	if g.frames == 0 {
		g.first = f.Position()
	}
	g.last = f.Position()
	g.frames++
	g.bytes += len(f.Raw)
}

// take appends the blocks to dst and empties the group, but keeps last.
func (g *group) take(dst []byte, session string) []byte {
	for _, b := range g.blocks {
		dst = appendBlock(dst, &block.Block{Session: session, State: schema.StreamState{StreamID: b.stream}}, b.builder)
		b.builder.Release()
	}
	clear(g.blocks)
	g.blocks, g.frames, g.bytes = g.blocks[:0], 0, 0
	return dst
}
