// Package ingesttest holds test doubles for the interfaces of package ingest.
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

// Memory is a Publisher that decodes every block and keeps it. By default it accepts each block at
// once and confirms it from another goroutine. It is safe for use by several goroutines.
type Memory struct {
	mu        sync.Mutex // guards all below
	blocks    []*block.Block
	refuse    error
	abandon   error
	delay     time.Duration
	stalled   chan struct{} // closed by Resume; nil while blocks are accepted
	inFlight  int           // number of blocks that were accepted and not confirmed
	abandoned int           // number of blocks that were abandoned
	settled   chan struct{} // closed once no block is in flight; nil unless Wait is waiting
}

var _ ingest.Publisher = (*Memory)(nil)

// Refuse makes Publish fail with err; nil ends this.
func (m *Memory) Refuse(err error) { m.set(func() { m.refuse = err }) }

// Abandon makes Publish accept blocks and then report err for them. Memory does not keep such
// blocks. Nil ends this.
func (m *Memory) Abandon(err error) { m.set(func() { m.abandon = err }) }

// Abandoned returns the number of blocks that were abandoned, or will be after their delay.
func (m *Memory) Abandoned() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.abandoned
}

// Delay delays confirmations by d.
func (m *Memory) Delay(d time.Duration) { m.set(func() { m.delay = d }) }

// Stall makes Publish wait until Resume is called or its context ends, as a publisher with a full
// window does.
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
	stalled, delay, failure, refuse := m.stalled, m.delay, m.abandon, m.refuse
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
		return fmt.Errorf("block %s has tenant %q, session %q, %d frames; its envelope has %q, %q, %d",
			p.ID, b.Tenant, b.Session, len(b.Frames), p.Tenant, p.Session, p.Frames)
	}
	m.set(func() {
		m.inFlight++
		if failure == nil {
			m.blocks = append(m.blocks, b)
		} else {
			m.abandoned++
		}
	})
	go func() {
		time.Sleep(delay)
		done(failure)
		m.set(m.settle)
	}()
	return nil
}

func (m *Memory) settle() {
	m.inFlight--
	if m.inFlight == 0 && m.settled != nil {
		close(m.settled)
		m.settled = nil
	}
}

// Wait returns when every accepted block has been confirmed or abandoned.
func (m *Memory) Wait() {
	m.mu.Lock()
	if m.inFlight == 0 {
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

// Blocks returns the blocks in order of arrival.
func (m *Memory) Blocks() []*block.Block {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.blocks)
}

// Streams returns the ids of the streams, in order of their first block.
func (m *Memory) Streams() []string {
	var ids []string
	for _, b := range m.Blocks() {
		if !slices.Contains(ids, b.State.StreamID) {
			ids = append(ids, b.State.StreamID)
		}
	}
	return ids
}

// Frames returns the frames of a stream in order of Seq, of all its sessions. For a repeated frame
// it returns the last copy.
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

// Raw returns the bytes of a stream in one direction, concatenated.
func (m *Memory) Raw(streamID string, d schema.Direction) []byte {
	var raw [][]byte
	for _, f := range m.Frames(streamID) {
		if f.Direction == d {
			raw = append(raw, f.Raw)
		}
	}
	return bytes.Join(raw, nil)
}

// State returns the newest state of a stream's segment in a session; ok is false if there is none.
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
