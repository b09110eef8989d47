package bench

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// soakClient opens a new connection for every replay.
var soakClient = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}

// errNoSession reports that no data of a session is stored yet.
var errNoSession = errors.New("no such session")

// readBack replays a session and compares each frame with the sent frame byte by byte. It returns
// the number of equal frames.
func readBack(ctx context.Context, server, session, query string, frames int) (n int, err error) {
	res, err := get(ctx, soakClient, server+"/v1/sessions/"+session+"/replay?mode=raw&"+query, "application/x-ndjson")
	if answer := (*statusError)(nil); errors.As(err, &answer) && answer.status == http.StatusNotFound {
		return 0, errNoSession
	}
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	in := bufio.NewScanner(res.Body)
	for in.Scan() {
		if want := pacedFrame(session, n); in.Text() != want {
			return n, fmt.Errorf("frame %d is %.200q, want %.200q", n, in.Text(), want)
		}
		n++
	}
	if err := in.Err(); err != nil {
		return n, fmt.Errorf("after %d frames: %w", n, err)
	}
	if n != frames {
		return n, fmt.Errorf("%d frames, want %d", n, frames)
	}
	return n, nil
}

// appearWithin is how long a session that is being recorded may take to be listed.
const appearWithin = time.Minute

// follow plays a session from its beginning while it is recorded, to its end.
func (s *soak) follow(ctx context.Context, session string) {
	for end := time.Now().Add(appearWithin); ; {
		n, err := readBack(ctx, s.server.url, session, "follow=1", s.frames)
		if errors.Is(err, errNoSession) && time.Now().Before(end) && pause(ctx, 500*time.Millisecond) == nil {
			continue
		}
		s.played(n, true)
		if err != nil && ctx.Err() == nil {
			s.failed(fmt.Errorf("follow session %s: %w", session, err))
		}
		return
	}
}

// loop replays a stored session repeatedly until ctx ends.
func (s *soak) loop(ctx context.Context, session string) {
	for ctx.Err() == nil {
		n, err := readBack(ctx, s.server.url, session, "speed=1", loopedFrames)
		s.played(n, false)
		if err != nil && ctx.Err() == nil {
			s.failed(fmt.Errorf("replay session %s: %w", session, err))
			_ = pause(ctx, time.Second) // so that a failure is not repeated at full speed
		}
	}
}

// played counts the correct frames of a replay.
func (s *soak) played(n int, followed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if followed {
		s.report.Followed += n
		return
	}
	s.report.Replays++
	s.report.Replayed += n
}
