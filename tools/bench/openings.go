package bench

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"time"

	"github.com/coder/websocket"
)

// openings measures how long a user waits after opening a session, or after a
// seek in it.
type openings struct {
	stored uint64 // frames in the store
	long   int    // of the long session
	open   Delays
	later  Delays // the long session, from a place in it
	offset Delays // from a time in it
	seek   Delays // a control, while it is played
}

// shortSession is the number of frames of all sessions except the long one.
const shortSession = 1000

func (s *openings) measure(ctx context.Context, w *workshop) (err error) {
	c, err := w.running(ctx)
	if err != nil {
		return err
	}
	s.long = min(longSession, w.Stored/2)
	long := &recordings{name: "seek", sessions: 1, frames: s.long}
	short := &recordings{name: "open", sessions: max((w.Stored-s.long)/shortSession, 1), frames: shortSession}
	for _, r := range []*recordings{long, short} {
		if _, err := r.make(ctx, c); err != nil {
			return err
		}
	}
	if err := c.db.QueryRow(ctx, countFrames).Scan(&s.stored); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(c.dir, "openings-")
	if err != nil {
		return err
	}
	server, err := startServer(ctx, w.Program, dir, c.env, "serve", "--role", "api", "--listen", "127.0.0.1:0", "--data", dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.stop()) }()
	places, err := s.places(ctx, c, long, full(w, 200, 20))
	if err != nil {
		return err
	}
	for i, place := range places {
		offset := time.Duration(rand.IntN(s.long)) * recordedGap
		for _, way := range []struct {
			into           *Delays
			session, query string
		}{
			{&s.open, short.id(rand.IntN(short.sessions)), "speed=1"},
			{&s.later, long.id(0), "speed=1&from=" + place},
			// Fast, so that the gap before the first frame does not count.
			{&s.offset, long.id(0), "speed=1000&from=%2B" + offset.String()},
		} {
			took, err := firstFrame(ctx, server.url, way.session, way.query)
			if err != nil {
				return fmt.Errorf("play %s?%s: %w", way.session, way.query, err)
			}
			if i >= len(places)/10 { // the first of them find cold caches
				*way.into = append(*way.into, took)
			}
		}
	}
	s.seek, err = seeks(ctx, server.url, long.id(0), places)
	return err
}

// places returns those of some frames of a session, anywhere in it.
func (s *openings) places(ctx context.Context, c *cluster, r *recordings, n int) (list []string, err error) {
	for range n {
		var at int64
		seq := rand.IntN(r.frames)
		err := c.db.QueryRow(ctx, frameTime,
			r.id(0), r.stream(0), seq).Scan(&at)
		if err != nil {
			return nil, err
		}
		list = append(list, fmt.Sprintf("%d.%s.%d", at, r.stream(0), seq))
	}
	return list, nil
}

// firstFrame returns how long a client waits for the first frame, dialling included.
func firstFrame(ctx context.Context, server, session, query string) (time.Duration, error) {
	began := time.Now()
	l, err := openListener(ctx, server, session, query)
	if err != nil {
		return 0, err
	}
	defer l.close()
	a, err := l.next()
	return a.came.Sub(began), err
}

// seeks plays a session over a WebSocket, seeks to each place, and
// returns how long each frame took to arrive.
func seeks(ctx context.Context, server, session string, places []string) (took Delays, err error) {
	address := "ws" + strings.TrimPrefix(server, "http") + "/v1/sessions/" + session + "/replay"
	conn, _, err := websocket.Dial(ctx, address, nil)
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.CloseNow() }() // the playback continues until then
	conn.SetReadLimit(1 << 20)
	for _, place := range places {
		began := time.Now()
		if err := conn.Write(ctx, websocket.MessageText, []byte(`{"op":"seek","to":"`+place+`"}`)); err != nil {
			return nil, err
		}
		for wanted := `{"position":"` + place + `"`; ; {
			_, message, err := conn.Read(ctx)
			if err != nil {
				return nil, fmt.Errorf("after a seek to %s: %w", place, err)
			}
			if strings.HasPrefix(string(message), wanted) {
				break
			}
		}
		took = append(took, time.Since(began))
	}
	return took, nil
}

func (s *openings) write(p *page) {
	p.text("ClickHouse holds %s frames, in sessions of %s and one of %s. From before a client dials until it has read the first frame's\n"+
		"id, one client at a time; a seek counts from the control on a WebSocket, while the session is played, to the frame.",
		count(float64(s.stored)), count(shortSession), count(float64(s.long)))
	p.table("| | times | p50 | p99 | most |", "|---|---:|---:|---:|---:|")
	for _, row := range []struct {
		name string
		d    Delays
	}{
		{"open any session", s.open}, {"open the long session at a frame", s.later}, {"open it at a time", s.offset}, {"seek in it", s.seek},
	} {
		p.row(row.name, count(float64(len(row.d))), millis(row.d.At(0.5)), millis(row.d.At(0.99)), millis(row.d.At(1)))
	}
}

func (s *openings) bars() []bar {
	text := func(x float64) string { return millis(time.Duration(x)) }
	opened, sought := s.stored >= 10_000_000 && len(s.open) > 0, s.long >= longSession && len(s.seek) > 0
	worst := max(s.open.At(0.99), s.later.At(0.99), s.offset.At(0.99))
	return []bar{
		atMost("first frame after opening, 10 million frames stored, p99", opened, float64(worst), float64(100*time.Millisecond), text),
		atMost("first frame after opening: the aim", opened, float64(worst), float64(30*time.Millisecond), text),
		atMost("first frame after a seek, session of a million, p99", sought, float64(s.seek.At(0.99)), float64(50*time.Millisecond), text),
	}
}
