package bench

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"
)

// SoakOptions configures a soak.
type SoakOptions struct {
	Setup
	Connections int // concurrent recordings
	Replays     int // concurrent replays: half of them follow running sessions
	For         time.Duration
	Gap         time.Duration // between the frames of a connection
	Profiles    string        // folder for profiles of the server's heap; "" for none
}

// Sessions that are replayed repeatedly while others are recorded.
const (
	loopedSessions = 25
	loopedFrames   = 100
	loopedGap      = 100 * time.Millisecond
)

// soak records and replays concurrently, and checks each frame.
type soak struct {
	SoakOptions
	server *command
	frames int // frames of a connection
	report *SoakReport

	mu sync.Mutex // guards the report
}

// Soak runs many recordings and replays concurrently. The report counts lost frames; the error
// reports that the soak could not be run.
func Soak(ctx context.Context, o SoakOptions) (_ *SoakReport, err error) {
	s := &soak{SoakOptions: o, frames: max(int(o.For/o.Gap), 2)}
	s.report = &SoakReport{Environment: o.environment("soak"), Connections: o.Connections, Replays: o.Replays,
		For: o.For}
	s.server, err = startServer(ctx, o.Program, o.Dir, nil, "up", "--listen", "127.0.0.1:0", "--data",
		filepath.Join(o.Dir, "data"), "--pprof")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.server.stop()) }()
	s.Say(fmt.Sprintf("Recording %d sessions to replay …", loopedSessions))
	if err := s.record(ctx, "looped", loopedSessions, loopedFrames, loopedGap); err != nil {
		return nil, err
	}
	s.Say(fmt.Sprintf("Recording over %d connections, with %d replays, for %v …", o.Connections, o.Replays, o.For))
	stopMemory := s.report.sampleMemory(s.server.pid())
	stopProfiles := s.profileMemory(ctx)
	cpu := treeCPU()
	began := time.Now()
	replaying, stop := context.WithCancel(ctx)
	var replays sync.WaitGroup
	for i := range o.Replays {
		if i%2 == 0 && i/2 < o.Connections {
			replays.Go(func() { s.follow(ctx, sessionOf("soak", i/2)) })
			continue
		}
		replays.Go(func() { s.loop(replaying, sessionOf("looped", i%loopedSessions)) })
	}
	err = s.record(ctx, "soak", o.Connections, s.frames, o.Gap)
	s.report.Recording = time.Since(began)
	stop()
	replays.Wait()
	s.report.CPU = treeCPU() - cpu
	stopMemory()
	if err := stopProfiles(); err != nil {
		s.failed(err)
	}
	if err != nil {
		s.failed(err)
	}
	s.Say("Reading every frame back …")
	s.verify(ctx)
	s.report.Logged, s.report.Took = s.server.errors(), time.Since(s.report.When)
	return s.report, ctx.Err()
}

func sessionOf(name string, i int) string { return fmt.Sprintf("%s-%d", name, i) }

// record records sessions concurrently, one over each connection, until all frames are confirmed.
func (s *soak) record(ctx context.Context, name string, sessions, frames int, gap time.Duration) error {
	c, err := openConnections(ctx, s.server.url, name, sessions)
	defer func() {
		for _, t := range c.clients {
			if t.conn != nil {
				_ = t.conn.CloseNow() // connections that are still open after an error
			}
		}
	}()
	if err != nil {
		return fmt.Errorf("open %d connections: %w", sessions, err)
	}
	err = c.each(func(t *client) error {
		err := t.sendPaced(ctx, frames, gap, pacedFrame)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.report.Sent += t.sent
		s.report.Confirmed += t.acked
		return err
	})
	return errors.Join(err, c.close())
}

// failed records an error of a recording or replay.
func (s *soak) failed(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.report.Errors++; len(s.report.FirstErrors) < 5 {
		s.report.FirstErrors = append(s.report.FirstErrors, err.Error())
	}
}

// verify replays and compares all recorded sessions.
func (s *soak) verify(ctx context.Context) {
	slots, all := make(chan struct{}, 8), sync.WaitGroup{}
	for i := range s.Connections {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			session := sessionOf("soak", i)
			n, err := readBack(ctx, s.server.url, session, "speed=max", s.frames)
			s.mu.Lock()
			s.report.Stored += n
			s.mu.Unlock()
			if err != nil {
				s.failed(fmt.Errorf("read back session %s: %w", session, err))
			}
		})
	}
	all.Wait()
	s.report.Expected = s.Connections * s.frames
	s.report.Looped = loopedSessions * loopedFrames
}

// Err returns why the soak has failed, nil if it has not.
func (r *SoakReport) Err() error {
	switch {
	case r.Stored != r.Expected:
		return fmt.Errorf("%d of %d frames were read back", r.Stored, r.Expected)
	case r.Errors > 0:
		return fmt.Errorf("%d errors; the first: %v", r.Errors, r.FirstErrors)
	case !r.Server.flat():
		return fmt.Errorf("the server's memory grew by %.1f MiB a minute", r.Server.Slope()/(1<<20))
	}
	return nil
}
