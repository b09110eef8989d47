package replayhttp

import (
	"strconv"
	"sync"
	"time"

	"github.com/coder/websocket"

	"tapedeck/replay"
	"tapedeck/schema"
)

// cueInterval is the minimum time between two cues: screens do not draw more often.
const cueInterval = time.Second / 60

// cueWriter implements mode=cue on a socket: it sends the progress instead of the frames. One cue
// reports all frames that were played since the last cue. It is sent when the player waits, or as
// soon after that as the interval allows. The methods do nothing on a nil *cueWriter.
type cueWriter struct {
	socket  *socket
	firstAt int64

	mu      sync.Mutex // guards the fields below, and serialises cues with other messages
	frames  uint64     // played since the last cue
	last    schema.Position
	since   time.Time // when the first of these frames was played
	sentAt  time.Time
	timer   *time.Timer // sends a delayed cue; nil before the first one
	failed  error
	message []byte
}

func newCueWriter(s *socket, firstAt int64) *cueWriter {
	return &cueWriter{socket: s, firstAt: firstAt}
}

// play records a frame. It sends a cue if frames are played one after another without a wait.
func (c *cueWriter) play(f *replay.Frame) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	if c.frames == 0 {
		c.since = now
	}
	c.frames++
	c.last = schema.Position{At: f.At, StreamID: f.Stream.StreamID, Seq: f.Seq}
	if now.Sub(c.since) >= cueInterval {
		c.send(now)
	}
	return c.failed
}

// flush sends a cue now, or once the interval is over.
func (c *cueWriter) flush() error {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	switch rest := cueInterval - now.Sub(c.sentAt); {
	case c.frames == 0:
	case rest <= 0:
		c.send(now)
	case c.timer == nil:
		c.timer = time.AfterFunc(rest, c.overdue)
	default:
		c.timer.Reset(rest)
	}
	return c.failed
}

// overdue sends the delayed cue.
func (c *cueWriter) overdue() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.send(time.Now())
}

// sendAfterCue sends a message of another type, after a cue for the frames that were played before
// it.
func (c *cueWriter) sendAfterCue(message []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.send(time.Now()); c.failed == nil {
		c.failed = c.socket.put(websocket.MessageText, message)
	}
	return c.failed
}

// stop prevents further cues.
func (c *cueWriter) stop() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.frames = 0; c.timer != nil {
		c.timer.Stop()
	}
}

// send sends a cue if frames were played since the last one. The caller holds c.mu.
func (c *cueWriter) send(now time.Time) {
	if c.frames == 0 || c.failed != nil {
		return
	}
	c.message = appendCue(c.message[:0], c.last, c.last.At-c.firstAt, c.frames)
	c.frames, c.sentAt = 0, now
	c.failed = c.socket.put(websocket.MessageText, c.message)
}

// appendCue appends {"type":"cue",…}.
func appendCue(dst []byte, last schema.Position, offset int64, frames uint64) []byte {
	dst = appendWhere(append(dst, `{"type":"cue"`...), last, offset)
	dst = strconv.AppendUint(append(dst, `,"frames":`...), frames, 10)
	return append(dst, '}')
}
