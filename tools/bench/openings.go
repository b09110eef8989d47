package bench

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/coder/websocket"
)

// Openings holds how long a user waits after opening a session, or after a seek in it.
type Openings struct {
	Stored  uint64      `json:"stored"`   // frames in the store
	Long    int         `json:"long"`     // frames of the long session
	Short   int         `json:"short"`    // frames of each other session
	Open    Percentiles `json:"open"`     // any session
	AtFrame Percentiles `json:"at_frame"` // the long session, from a frame in it
	AtTime  Percentiles `json:"at_time"`  // the long session, from a time in it
	Seek    Percentiles `json:"seek"`     // a seek while it is played
}

// shortSession is the number of frames of all sessions except the long one.
const shortSession = 1000

func measureOpenings(ctx context.Context, h *harness, r *Results) (err error) {
	c, err := h.running(ctx)
	if err != nil {
		return err
	}
	o := &Openings{Long: min(longSession, h.Stored/2), Short: shortSession}
	r.Openings = o
	long := &recordings{name: "seek", sessions: 1, frames: o.Long}
	short := &recordings{name: "open", sessions: max((h.Stored-o.Long)/shortSession, 1), frames: shortSession}
	for _, set := range []*recordings{long, short} {
		if _, err := set.make(ctx, c); err != nil {
			return err
		}
	}
	if err := c.db.QueryRow(ctx, statement("count_frames")).Scan(&o.Stored); err != nil {
		return err
	}
	server, err := c.separate(ctx, h, "api")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.stop()) }()
	places, err := places(ctx, c, long, pick(h, 200, 20))
	if err != nil {
		return err
	}
	var open, atFrame, atTime []time.Duration
	for i, place := range places {
		offset := time.Duration(rand.IntN(o.Long)) * recordedGap
		for _, way := range []struct {
			into           *[]time.Duration
			session, query string
		}{
			{&open, short.id(rand.IntN(short.sessions)), "speed=1"},
			{&atFrame, long.id(0), "speed=1&from=" + place},
			// Fast, so that the gap before the first frame does not count.
			{&atTime, long.id(0), "speed=1000&from=%2B" + offset.String()},
		} {
			took, err := firstFrame(ctx, server.url, way.session, way.query)
			if err != nil {
				return fmt.Errorf("play %s?%s: %w", way.session, way.query, err)
			}
			if i >= len(places)/10 { // the first ones find cold caches
				*way.into = append(*way.into, took)
			}
		}
	}
	seek, err := seeks(ctx, server.url, long.id(0), places)
	o.Open, o.AtFrame, o.AtTime, o.Seek = percentiles(open), percentiles(atFrame), percentiles(atTime), percentiles(seek)
	return err
}

// places returns the positions of n random frames of a session.
func places(ctx context.Context, c *cluster, r *recordings, n int) (list []string, err error) {
	for range n {
		var at int64
		seq := rand.IntN(r.frames)
		err := c.db.QueryRow(ctx, statement("frame_time"), r.id(0), r.stream(0), seq).Scan(&at)
		if err != nil {
			return nil, err
		}
		list = append(list, fmt.Sprintf("%d.%s.%d", at, r.stream(0), seq))
	}
	return list, nil
}

// firstFrame returns how long a client waits for the first frame, including dialling.
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

// seeks plays a session over a WebSocket, seeks to each place, and returns how long each frame took
// to arrive.
func seeks(ctx context.Context, server, session string, places []string) (took []time.Duration, err error) {
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
