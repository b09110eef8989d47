package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// streams measures the cost of open streams in the ingest process.
type streams struct {
	idle   idleStreams
	busy   busyStreams
	notice string
}

type idleStreams struct {
	streams                int
	before, opening, after uint64 // bytes resident: without streams, at the highest, at rest
	rested                 time.Duration
	known                  bool // these are
}

type busyStreams struct {
	streams, rate int // frames per second on each
	took          time.Duration
	memory        uint64 // bytes resident, at the highest
	cpu           time.Duration
	known         bool // these are
	sent, stored  int
}

// spareFiles is the number of files that this process and the server need besides a
// socket for each stream.
const spareFiles = 500

func (s *streams) measure(ctx context.Context, w *workshop) error {
	c, err := w.running(ctx)
	if err != nil {
		return err
	}
	if err := s.measureBusy(ctx, w, c); err != nil {
		return fmt.Errorf("busy streams: %w", err)
	}
	// A separate server, without memory that other parts used before.
	if err := s.measureIdle(ctx, w, c); err != nil {
		return fmt.Errorf("idle streams: %w", err)
	}
	return nil
}

func (s *streams) measureIdle(ctx context.Context, w *workshop, c *cluster) (err error) {
	n := full(w, 10_000, 1_000)
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err == nil && limit.Cur < uint64(n+spareFiles) {
		n = max(100, int(limit.Cur)-spareFiles)
		s.notice = fmt.Sprintf("A process may open %d files here, so there are fewer idle streams than 10,000.", limit.Cur)
	}
	dir, err := os.MkdirTemp(c.dir, "idle-")
	if err != nil {
		return err
	}
	server, err := startServer(ctx, w.Program, dir, c.env, "serve", "--role", "ingest", "--listen", "127.0.0.1:0", "--data", dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.stop()) }()
	s.idle.streams = n
	s.idle.before, s.idle.known = resident(server.pid())
	peak := watchMemory(server.pid())
	conns, err := openConnections(ctx, server.url, "idle", n)
	defer func() { err = errors.Join(err, conns.close()) }()
	if err == nil {
		err = conns.each(func(t *client) error {
			if err := t.send(ctx, idleFrames(t.session)...); err != nil {
				return err
			}
			return t.waitAcked(ctx)
		})
	}
	s.idle.opening = peak()
	if err != nil {
		return err
	}
	s.idle.rested = full(w, 20*time.Second, time.Second)
	select {
	case <-time.After(s.idle.rested):
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	s.idle.after, _ = resident(server.pid())
	return nil
}

func (s *streams) measureBusy(ctx context.Context, w *workshop, c *cluster) error {
	b := &s.busy
	b.streams, b.rate = full(w, 1000, 100), 20
	frames := b.rate * full(w, 10, 1)
	conns, err := openConnections(ctx, c.ingest.url, "busy", b.streams)
	if err == nil {
		cpu, known := cpuOf(c.ingest.pid())
		peak := watchMemory(c.ingest.pid())
		began := time.Now()
		err = conns.each(func(t *client) error { return t.sendPaced(ctx, frames, time.Second/time.Duration(b.rate)) })
		b.took = time.Since(began)
		now, _ := cpuOf(c.ingest.pid())
		b.memory, b.cpu, b.known = peak(), now-cpu, known
	}
	if err = errors.Join(err, conns.close()); err != nil {
		return err
	}
	b.sent = frames * b.streams
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	err = waitFor(ctx, c.db, busyFrames, uint64(b.sent))
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	var n uint64
	if err := c.db.QueryRow(context.WithoutCancel(ctx), busyFrames).Scan(&n); err != nil {
		return err
	}
	b.stored = int(n)
	return nil
}

func (s *streams) write(p *page) {
	p.text("WebSockets to `/v1/ingest/ws` of a `tapedeck serve --role ingest`, a process of its own, with NATS and ClickHouse elsewhere. Memory is\n" +
		"what that process has in RAM.")
	i := &s.idle
	p.text("%s idle streams. Each sent five Loom frames, which were confirmed. At rest: %v later; a server collects garbage by itself when it has been quiet for some seconds.", count(float64(i.streams)), i.rested)
	p.table("| | memory |", "|---|---:|")
	for _, row := range []struct {
		name string
		n    uint64
	}{{"without streams", i.before}, {"at the highest, while they were opened", i.opening}, {"at rest", i.after}} {
		p.row(row.name, known(i.known, megabytesOf(row.n)))
	}
	p.row("at rest, for each stream", known(i.known, fmt.Sprintf("%.1f KB", i.each()/1e3)))
	if s.notice != "" {
		p.text("%s", s.notice)
	}
	b := &s.busy
	p.text("%s streams with %d frames/s each, for %.0f s.", count(float64(b.streams)), b.rate, b.took.Seconds())
	p.table("| | |", "|---|---:|")
	p.row("memory at the highest", known(b.known, megabytesOf(b.memory)))
	p.row("CPU, in cores", known(b.known, fmt.Sprintf("%.2f", b.cpu.Seconds()/b.took.Seconds())))
	p.row("frames sent", count(float64(b.sent)))
	p.row("frames in ClickHouse", count(float64(b.stored)))
	p.row("frames lost", count(float64(b.sent-b.stored)))
}

// each returns the memory of one idle stream, bytes.
func (i *idleStreams) each() float64 {
	return (float64(i.after) - float64(i.before)) / float64(i.streams)
}

func known(ok bool, text string) string {
	if !ok {
		return unknown
	}
	return text
}

func (s *streams) bars() []bar {
	memory := func(n float64) string { return megabytesOf(uint64(n)) }
	return []bar{
		atMost("10,000 idle streams, memory", s.idle.known && s.idle.after > 0 && s.idle.streams >= 10_000, float64(s.idle.after), 400e6, memory),
		atMost("1,000 streams at 20 frames/s, frames lost", s.busy.sent > 0 && s.busy.streams >= 1000, float64(s.busy.sent-s.busy.stored), 0, count),
	}
}
