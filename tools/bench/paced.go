package bench

import (
	"context"
	"fmt"
	"io"
	"time"
)

// pacedSource writes frames at regular times, a burst each millisecond. Before the bursts it writes
// one frame, so that all components have started.
type pacedSource struct {
	session      string
	burst, ticks int
	began        time.Time // of the bursts
}

// frames returns the number of all frames.
func (s *pacedSource) frames() int { return 1 + s.burst*s.ticks }

// due returns when a frame is to be sent, relative to the start of the bursts. Delays are measured
// from this time, so that a delayed source does not make later frames look early.
func (s *pacedSource) due(seq int) time.Duration {
	if seq == 0 {
		return 0
	}
	return time.Duration((seq-1)/s.burst) * time.Millisecond
}

// line appends a frame with the time at which it is due.
func (s *pacedSource) line(to []byte, seq int) []byte {
	return fmt.Appendf(to, `{"session_id":"%s","node_id":"run-think-0","event_id":%d,"type":"message_chunk","content":" token","id":"think","due":%d}`+"\n",
		s.session, seq+1, s.due(seq))
}

// ahead writes the frame before the bursts.
func (s *pacedSource) ahead(to io.Writer) error {
	_, err := to.Write(s.line(nil, 0))
	return err
}

// write writes the bursts.
func (s *pacedSource) write(ctx context.Context, to io.Writer) error {
	var buf []byte
	for tick := range s.ticks {
		buf = buf[:0]
		first := 1 + tick*s.burst
		for seq := first; seq < first+s.burst; seq++ {
			buf = s.line(buf, seq)
		}
		sleepUntil(s.began.Add(s.due(first)))
		if _, err := to.Write(buf); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return nil
}
