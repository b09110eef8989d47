package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// playing measures the player: how late frames are, the cost of many concurrent
// playbacks, and the throughput at speed=max.
type playing struct {
	alone Delays // one session at speed 1
	many  crowdPlayed
	event Laps // speed=max over NDJSON
	raw   Laps
	file  Laps // a tape file, by `tapedeck play`
}

// crowdPlayed is the measurement of many concurrent playbacks.
type crowdPlayed struct {
	sessions int
	late     Delays
	took     time.Duration // in which these were taken
	cpu      time.Duration // of the server, in that time
	engine   time.Duration // of ClickHouse, and all else beside the server and the clients
	clients  time.Duration
	before   uint64 // bytes resident of the server: after one playback,
	most     uint64 // and the most while all were played
	known    bool   // the memory is, and the CPU times
}

// each returns the memory of one session, bytes.
func (c *crowdPlayed) each() float64 {
	return (float64(c.most) - float64(c.before)) / float64(c.sessions)
}

func (s *playing) measure(ctx context.Context, w *workshop) (err error) {
	c, err := w.running(ctx)
	if err != nil {
		return err
	}
	// A separate server, without memory that other parts used before.
	dir, err := os.MkdirTemp(c.dir, "playing-")
	if err != nil {
		return err
	}
	server, err := startServer(ctx, w.Program, dir, c.env, "serve", "--role", "api", "--listen", "127.0.0.1:0", "--data", dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.stop()) }()
	if err := s.measureAlone(ctx, w, c, server); err != nil {
		return fmt.Errorf("one session: %w", err)
	}
	if err := s.measureMany(ctx, w, c, server); err != nil {
		return fmt.Errorf("many sessions: %w", err)
	}
	return s.measureMax(ctx, w, c, server)
}

func (s *playing) measureAlone(ctx context.Context, w *workshop, c *cluster, server *command) error {
	length := full(w, 20*time.Second, time.Second)
	one := &recordings{name: "alone", sessions: 1, frames: int(length / recordedGap)}
	if _, err := one.make(ctx, c); err != nil {
		return err
	}
	list, err := listenTo(ctx, server.url, one.id(0), 0)
	if err == nil && len(list) != one.frames {
		err = fmt.Errorf("%d of %d frames came", len(list), one.frames)
	}
	s.alone = lateness(list)
	return err
}

// listenTo receives the frames of a playback: all, or those of the given duration.
func listenTo(ctx context.Context, server, session string, length time.Duration) (list []arrival, err error) {
	l, err := openListener(ctx, server, session, "speed=1")
	if err != nil {
		return nil, err
	}
	defer l.close()
	for {
		a, err := l.next()
		if err == io.EOF {
			return list, nil
		}
		if err != nil {
			return list, err
		}
		list = append(list, a)
		if length > 0 && a.came.Sub(list[0].came) >= length {
			return list, nil
		}
	}
}

// measureMany opens the sessions one after another, since real clients do not start
// simultaneously, and takes the delays of a period in which all of them are played.
func (s *playing) measureMany(ctx context.Context, w *workshop, c *cluster, server *command) error {
	m := &s.many
	m.sessions = full(w, 1000, 50)
	opening, length := full(w, 20*time.Second, time.Second), full(w, 20*time.Second, time.Second)
	all := &recordings{name: "many", sessions: m.sessions, frames: int((2*opening + length) / recordedGap)}
	if _, err := all.make(ctx, c); err != nil {
		return err
	}
	m.before, m.known = resident(server.pid())
	peak := watchMemory(server.pid())
	lists, err := s.crowd(ctx, server, all, opening, length)
	m.most = peak()
	for _, list := range lists {
		m.late = append(m.late, list...)
	}
	return err
}

func (s *playing) crowd(ctx context.Context, server *command, all *recordings, opening, length time.Duration) (lists []Delays, err error) {
	m := &s.many
	lists = make([]Delays, m.sessions)
	errs := make([]error, m.sessions)
	var listening sync.WaitGroup
	began := time.Now()
	from, to := began.Add(opening+opening/4), began.Add(opening+opening/4+length)
	for i := range m.sessions {
		if d := time.Until(began.Add(opening * time.Duration(i) / time.Duration(m.sessions))); d > 0 {
			time.Sleep(d)
		}
		listening.Go(func() { lists[i], errs[i] = during(ctx, server.url, all.id(i), from, to) })
	}
	time.Sleep(time.Until(from))
	cpu, clients := s.spent(server)
	engine := treeCPU()
	time.Sleep(time.Until(to))
	nowCPU, nowClients := s.spent(server)
	m.took, m.cpu, m.clients = length, nowCPU-cpu, nowClients-clients
	m.engine = treeCPU() - engine - m.cpu - m.clients
	listening.Wait()
	return lists, errors.Join(errs...)
}

// spent returns the CPU time of the server and of this process, which the clients are in.
func (s *playing) spent(server *command) (cpu, clients time.Duration) {
	cpu, ok := cpuOf(server.pid())
	s.many.known = s.many.known && ok
	return cpu, ownCPU()
}

// during returns the delays of a session's frames that arrived between two times.
func during(ctx context.Context, server, session string, from, to time.Time) (Delays, error) {
	l, err := openListener(ctx, server, session, "speed=1")
	if err != nil {
		return nil, err
	}
	defer l.close()
	var list []arrival
	for {
		a, err := l.next()
		switch {
		case err != nil:
			return nil, fmt.Errorf("session %s ended early: %w", session, err)
		case a.came.After(to):
			return lateness(list), nil
		case a.came.After(from):
			list = append(list, a)
		}
	}
}

// measureMax plays one long session at speed=max, and from a tape file.
func (s *playing) measureMax(ctx context.Context, w *workshop, c *cluster, server *command) (err error) {
	long := &recordings{name: "long", sessions: 1, frames: full(w, 1_000_000, 20_000)}
	size, err := long.make(ctx, c)
	if err != nil {
		return err
	}
	tape := filepath.Join(c.dir, "long.tape")
	export, err := start(w.Program, c.dir, nil, nil, nil, "export", "--server", server.url, long.id(0), "-o", tape)
	if err != nil {
		return err
	}
	if err := export.wait(ctx); err != nil {
		return err
	}
	for range full(w, 3, 1) {
		for _, way := range []struct {
			into *Laps
			play func() (Lap, error)
			ends uint64 // lines that are no frames
		}{
			{&s.event, func() (Lap, error) { return downloadLines(ctx, server.url, long.id(0), "mode=event") }, 1},
			{&s.raw, func() (Lap, error) { return downloadLines(ctx, server.url, long.id(0), "mode=raw") }, 0},
			{&s.file, func() (Lap, error) { return playFile(ctx, w, c, tape) }, 0},
		} {
			lap, err := way.play()
			if lap.Frames -= min(lap.Frames, way.ends); err == nil && lap.Frames != uint64(long.frames) {
				err = fmt.Errorf("%d of %d frames came", lap.Frames, long.frames)
			}
			if err == nil && way.ends == 0 && lap.Bytes != size {
				err = fmt.Errorf("%d of %d bytes came", lap.Bytes, size)
			}
			if err != nil {
				return fmt.Errorf("speed=max: %w", err)
			}
			*way.into = append(*way.into, lap)
		}
	}
	return nil
}

// playFile runs `tapedeck play` on a tape file and counts the printed frames.
func playFile(ctx context.Context, w *workshop, c *cluster, tape string) (lap Lap, err error) {
	out, in, err := os.Pipe()
	if err != nil {
		return lap, err
	}
	defer out.Close()
	began := time.Now()
	play, err := start(w.Program, c.dir, nil, nil, in, "play", tape, "--format", "ndjson", "--speed", "max")
	in.Close() // the command has it
	if err != nil {
		return lap, err
	}
	lap, err = countLines(out)
	lap.Took = time.Since(began)
	return lap, errors.Join(err, play.wait(ctx))
}
