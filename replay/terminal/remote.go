package terminal

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"time"

	"tapedeck/replay/player"
)

// Remote is a remote-controlled playback, for example over a WebSocket. Send and Next are called
// from two goroutines.
type Remote interface {
	Send(ctx context.Context, c Control) error
	// Next returns the next message of mode=event. It returns when ctx ends.
	Next(ctx context.Context) ([]byte, error)
}

// Control is one control in the form in which a client of a WebSocket sends it.
type Control struct {
	Op     player.Op `json:"op"`
	To     string    `json:"to,omitempty"`
	Value  any       `json:"value"`
	Frames int64     `json:"frames,omitempty"`
}

// message is the part of a message that the viewer reads. It is a frame if StreamID is set.
type message struct {
	Type       string          `json:"type"`
	StreamID   string          `json:"stream_id"`
	Position   string          `json:"position"`
	Seq        uint64          `json:"seq"`
	OffsetMS   float64         `json:"offset_ms"`
	Direction  string          `json:"direction"`
	Frame      json.RawMessage `json:"frame"`
	Text       string          `json:"text"`
	Base64     string          `json:"base64"`
	Op         player.Op       `json:"op"`
	State      string          `json:"state"`
	Speed      player.Speed    `json:"speed"`
	Frames     uint64          `json:"frames"`
	Looping    bool            `json:"looping"`
	IdleMS     *float64        `json:"idle_limit_ms"`
	Marker     string          `json:"marker"`
	DurationMS float64         `json:"duration_ms"`
	Live       bool            `json:"live"`
	Title      string          `json:"title"`
	Detail     string          `json:"detail"`
}

func (m *message) offset() time.Duration {
	return time.Duration(m.OffsetMS * float64(time.Millisecond))
}

// brief returns the beginning of a frame's content, for one line of the screen.
func (m *message) brief() string {
	const most = 600 // bytes
	text := string(m.Frame[:min(len(m.Frame), most)])
	if m.Frame == nil {
		text = m.Text + m.Base64
	}
	return strings.ToValidUTF8(text[:min(len(text), most)], "")
}

// keptFrames is the number of frames that are kept for the list of frames.
const keptFrames = 500

// mailbox buffers messages until the viewer takes them. It never blocks the reader of the playback,
// even while the viewer sends a control. It keeps only the latest frames.
type mailbox struct {
	wake chan struct{} // has a value while messages wait

	mu       sync.Mutex // guards the fields below
	messages []message
	frames   int // number of frames in messages
	err      error
}

func newMailbox() *mailbox { return &mailbox{wake: make(chan struct{}, 1)} }

// fill adds received messages until an error occurs.
func (b *mailbox) fill(ctx context.Context, r Remote) {
	for {
		text, err := r.Next(ctx)
		var m message
		if err == nil {
			err = json.Unmarshal(text, &m)
		}
		b.mu.Lock()
		if b.err = err; err == nil {
			b.put(m)
		}
		b.mu.Unlock()
		select {
		case b.wake <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

// put adds a message. The caller holds mu.
func (b *mailbox) put(m message) {
	if m.StreamID != "" {
		b.frames++
		m.Frame, m.Text, m.Base64 = nil, m.brief(), ""
	}
	b.messages = append(b.messages, m)
	if b.frames < 2*keptFrames {
		return
	}
	kept := b.messages[:0]
	drop := b.frames - keptFrames
	for _, m := range b.messages {
		if m.StreamID != "" && drop > 0 {
			drop--
			b.frames--
			continue
		}
		kept = append(kept, m)
	}
	clear(b.messages[len(kept):])
	b.messages = kept
}

// take returns the buffered messages, and the error that ended fill.
func (b *mailbox) take() (messages []message, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	messages, err = b.messages, b.err
	b.messages, b.frames = nil, 0
	return messages, err
}
