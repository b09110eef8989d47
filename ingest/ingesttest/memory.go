// Package ingesttest holds test doubles for the seams of package ingest.
package ingesttest

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"tapedeck/ingest"
	"tapedeck/schema"
	"tapedeck/schema/block"
)

// Memory is a Publisher that opens every block it is given and keeps it. Unless
// told otherwise it takes each at once and confirms it from another goroutine.
// It is safe for use by several goroutines.
type Memory struct {
	mu      sync.Mutex // guards all below
	blocks  []*block.Block
	refuse  error
	giveUp  error
	delay   time.Duration
	stalled chan struct{} // closed by Resume; nil while blocks are taken
	onWay   int           // blocks taken and not confirmed
	givenUp int           // blocks
	settled chan struct{} // closed once none is on its way; nil unless somebody waits
}

var _ ingest.Publisher = (*Memory)(nil)

// Refuse has Publish take no block and fail with err; nil ends it.
func (m *Memory) Refuse(err error) { m.set(func() { m.refuse = err }) }

// GiveUp has Publish take blocks and then tell that they were given up, for the
// reason err; such blocks are not kept. Nil ends it.
func (m *Memory) GiveUp(err error) { m.set(func() { m.giveUp = err }) }

// GivenUp counts the blocks that were given up, or will be once their delay is over.
func (m *Memory) GivenUp() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.givenUp
}

// Delay has blocks confirmed so much later.
func (m *Memory) Delay(d time.Duration) { m.set(func() { m.delay = d }) }

// Stall has Publish wait, as a publisher does whose window is full, until
// Resume is called or its context ends.
func (m *Memory) Stall() {
	m.set(func() {
		if m.stalled == nil {
			m.stalled = make(chan struct{})
		}
	})
}

// Resume ends Stall.
func (m *Memory) Resume() {
	m.set(func() {
		if m.stalled != nil {
			close(m.stalled)
			m.stalled = nil
		}
	})
}

func (m *Memory) set(change func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	change()
}

// Publish implements ingest.Publisher.
func (m *Memory) Publish(ctx context.Context, p ingest.EncodedBlock, done func(error)) error {
	m.mu.Lock()
	stalled, delay, giveUp, refuse := m.stalled, m.delay, m.giveUp, m.refuse
	m.mu.Unlock()
	if stalled != nil {
		select {
		case <-stalled:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	if refuse != nil {
		return refuse
	}
	b, err := block.Decode(p.Data)
	if err != nil {
		return fmt.Errorf("block %s: %w", p.ID, err)
	}
	if b.Tenant != p.Tenant || b.Session != p.Session || len(b.Frames) != p.Frames {
		return fmt.Errorf("block %s says tenant %q, session %q, %d frames; its parcel says %q, %q, %d",
			p.ID, b.Tenant, b.Session, len(b.Frames), p.Tenant, p.Session, p.Frames)
	}
	m.set(func() {
		m.onWay++
		if giveUp == nil {
			m.blocks = append(m.blocks, b)
		} else {
			m.givenUp++
		}
	})
	go func() {
		time.Sleep(delay)
		done(giveUp)
		m.set(m.landed)
	}()
	return nil
}

func (m *Memory) landed() {
	m.onWay--
	if m.onWay == 0 && m.settled != nil {
		close(m.settled)
		m.settled = nil
	}
}

// Wait returns when every block that was taken has been confirmed or given up.
func (m *Memory) Wait() {
	m.mu.Lock()
	if m.onWay == 0 {
		m.mu.Unlock()
		return
	}
	if m.settled == nil {
		m.settled = make(chan struct{})
	}
	settled := m.settled
	m.mu.Unlock()
	<-settled
}

// Blocks lists the blocks in the order in which they came.
func (m *Memory) Blocks() []*block.Block {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.blocks)
}

// Streams lists the ids of the streams, in order of their first block.
func (m *Memory) Streams() []string {
	var ids []string
	for _, b := range m.Blocks() {
		if !slices.Contains(ids, b.State.StreamID) {
			ids = append(ids, b.State.StreamID)
		}
	}
	return ids
}

// Frames gives the frames of a stream in order of Seq, those of all its
// sessions. A frame that came twice stands once, as it came last.
func (m *Memory) Frames(streamID string) []schema.Frame {
	bySeq := map[uint64]schema.Frame{}
	for _, b := range m.Blocks() {
		if b.State.StreamID == streamID {
			for _, f := range b.Frames {
				bySeq[f.Seq] = f
			}
		}
	}
	frames := make([]schema.Frame, 0, len(bySeq))
	for _, f := range bySeq {
		frames = append(frames, f)
	}
	slices.SortFunc(frames, func(a, b schema.Frame) int { return cmp.Compare(a.Seq, b.Seq) })
	return frames
}

// Raw is the bytes of a stream in one direction, put end to end.
func (m *Memory) Raw(streamID string, d schema.Direction) []byte {
	var raw [][]byte
	for _, f := range m.Frames(streamID) {
		if f.Direction == d {
			raw = append(raw, f.Raw)
		}
	}
	return bytes.Join(raw, nil)
}

// State is the newest state of a stream's part in a session; the second result
// is false if there is none.
func (m *Memory) State(streamID, session string) (schema.StreamState, bool) {
	var newest schema.StreamState
	found := false
	for _, b := range m.Blocks() {
		if b.State.StreamID == streamID && b.Session == session && b.State.Version >= newest.Version {
			newest, found = b.State, true
		}
		for i := range b.Left {
			if l := &b.Left[i]; b.State.StreamID == streamID && l.Session == session && l.State.Version >= newest.Version {
				newest, found = l.State, true
			}
		}
	}
	return newest, found
}
