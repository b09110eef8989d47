package bench

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"
)

// Streams holds the cost of open streams in the ingest process.
type Streams struct {
	Idle   IdleStreams `json:"idle"`
	Busy   BusyStreams `json:"busy"`
	Notice string      `json:"notice,omitempty"`
}

// IdleStreams holds the memory of idle streams, resident bytes.
type IdleStreams struct {
	Streams int           `json:"streams"`
	Before  uint64        `json:"memory_before"` // without streams
	Highest uint64        `json:"memory_highest"`
	AtRest  uint64        `json:"memory_at_rest"`
	Rested  time.Duration `json:"rested_ns"`
	Known   bool          `json:"known"` // the memory is known
}

// EachKB returns the memory of one stream at rest, KB.
func (i IdleStreams) EachKB() float64 {
	return (float64(i.AtRest) - float64(i.Before)) / float64(i.Streams) / 1e3
}

// BusyStreams holds the cost of streams that send.
type BusyStreams struct {
	Streams int           `json:"streams"`
	Rate    int           `json:"rate"` // frames per second on each stream
	Took    time.Duration `json:"took_ns"`
	Memory  uint64        `json:"memory"` // highest resident memory, bytes
	CPU     time.Duration `json:"cpu_ns"`
	Known   bool          `json:"known"` // the memory and the CPU time are known
	Sent    int           `json:"sent"`
	Stored  int           `json:"stored"`
}

// Lost returns the number of frames that were not stored.
func (b BusyStreams) Lost() int { return b.Sent - b.Stored }

// spareFiles is the number of files that this process and the server need besides a
// socket for each stream.
const spareFiles = 500

func measureStreams(ctx context.Context, h *harness, r *Results) error {
	c, err := h.running(ctx)
	if err != nil {
		return err
	}
	s := &Streams{}
	r.Streams = s
	if err := s.measureBusy(ctx, h, c); err != nil {
		return fmt.Errorf("busy streams: %w", err)
	}
	if err := s.measureIdle(ctx, h, c); err != nil {
		return fmt.Errorf("idle streams: %w", err)
	}
	return nil
}

func (s *Streams) measureIdle(ctx context.Context, h *harness, c *cluster) (err error) {
	n := pick(h, 10_000, 1_000)
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err == nil && limit.Cur < uint64(n+spareFiles) {
		n = max(100, int(limit.Cur)-spareFiles)
		s.Notice = fmt.Sprintf("A process may open %d files here, so there are fewer idle streams than 10,000.",
			limit.Cur)
	}
	server, err := c.separate(ctx, h, "ingest")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.stop()) }()
	s.Idle.Streams = n
	s.Idle.Before, s.Idle.Known = resident(server.pid())
	peak := watchMemory(server.pid(), memoryEvery)
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
	s.Idle.Highest = peak()
	if err != nil {
		return err
	}
	s.Idle.Rested = pick(h, 20*time.Second, time.Second)
	if err := pause(ctx, s.Idle.Rested); err != nil {
		return err
	}
	s.Idle.AtRest, _ = resident(server.pid())
	return nil
}

func (s *Streams) measureBusy(ctx context.Context, h *harness, c *cluster) error {
	b := &s.Busy
	b.Streams, b.Rate = pick(h, 1000, 100), 20
	frames := b.Rate * pick(h, 10, 1)
	conns, err := openConnections(ctx, c.ingest.url, "busy", b.Streams)
	if err == nil {
		cpu, known := cpuOf(c.ingest.pid())
		peak := watchMemory(c.ingest.pid(), memoryEvery)
		began := time.Now()
		err = conns.each(func(t *client) error { return t.sendPaced(ctx, frames, time.Second/time.Duration(b.Rate), pacedFrame) })
		b.Took = time.Since(began)
		now, _ := cpuOf(c.ingest.pid())
		b.Memory, b.CPU, b.Known = peak(), now-cpu, known
	}
	if err = errors.Join(err, conns.close()); err != nil {
		return err
	}
	b.Sent = frames * b.Streams
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	err = waitFor(ctx, c.db, statement("busy_frames"), uint64(b.Sent))
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	var n uint64
	if err := c.db.QueryRow(context.WithoutCancel(ctx), statement("busy_frames")).Scan(&n); err != nil {
		return err
	}
	b.Stored = int(n)
	return nil
}
