package tapeexport

import (
	"tapedeck/replay/tapefile"
	"tapedeck/schema"
	"tapedeck/schema/block"
)

// key identifies a segment of a stream.
type key struct {
	stream string
	first  uint64
}

// factBuffer collects facts for a record, in any order.
type factBuffer struct {
	w      *tapefile.Writer
	states map[key]*schema.StreamState
	blocks []block.Block
	at     map[key]int // index in blocks
	facts  int
	bytes  int
}

// Limits of one record.
const (
	pileFacts = 2000
	pileBytes = 1 << 20
)

func newFactBuffer(w *tapefile.Writer, segments []schema.StreamState) *factBuffer {
	p := &factBuffer{w: w, states: map[key]*schema.StreamState{}, at: map[key]int{}}
	for i := range segments {
		p.states[key{segments[i].StreamID, segments[i].FirstSeq}] = &segments[i]
	}
	return p
}

// add calls put to append a fact to the facts of its segment. It skips facts of segments that began
// after the segments were read.
func (p *factBuffer) add(k key, bytes int, put func(*block.Facts)) error {
	state := p.states[k]
	if state == nil {
		return nil
	}
	i, ok := p.at[k]
	if !ok {
		i = len(p.blocks)
		p.at[k] = i
		p.blocks = append(p.blocks, block.Block{State: *state})
	}
	put(&p.blocks[i].Facts)
	p.facts++
	if p.bytes += bytes; p.facts >= pileFacts || p.bytes >= pileBytes {
		return p.flush()
	}
	return nil
}

func (p *factBuffer) flush() error {
	if len(p.blocks) == 0 {
		return nil
	}
	err := p.w.Facts(p.blocks)
	clear(p.at)
	clear(p.blocks)
	p.blocks, p.facts, p.bytes = p.blocks[:0], 0, 0
	return err
}
