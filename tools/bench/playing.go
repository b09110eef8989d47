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

// Playing holds how late the player sends frames, the cost of many concurrent playbacks, and the
// throughput at speed=max.
type Playing struct {
	Alone Percentiles `json:"alone"` // one session at speed 1
	Many  Crowd       `json:"many"`
	Event Passes      `json:"max_event"` // speed=max over NDJSON
	Raw   Passes      `json:"max_raw"`
	Tape  Passes      `json:"max_tape"` // a tape file, played by `tapedeck play`
}

// Crowd is the measurement of many concurrent playbacks.
type Crowd struct {
	Sessions   int           `json:"sessions"`
	Late       Percentiles   `json:"late"`
	Took       time.Duration `json:"took_ns"` // duration of the measurement
	Server     time.Duration `json:"server_cpu_ns"`
	ClickHouse time.Duration `json:"clickhouse_cpu_ns"` // including everything except the server and the clients
	Clients    time.Duration `json:"clients_cpu_ns"`
	Before     uint64        `json:"memory_before"` // resident bytes of the server after one playback
	Highest    uint64        `json:"memory_highest"`
	Known      bool          `json:"known"` // the memory and the CPU times are known
}

// Each returns the memory of one session, bytes.
func (c Crowd) Each() float64 { return (float64(c.Highest) - float64(c.Before)) / float64(c.Sessions) }

func measurePlaying(ctx context.Context, h *harness, r *Results) (err error) {
	c, err := h.running(ctx)
	if err != nil {
		return err
	}
	server, err := c.separate(ctx, h, "api")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.stop()) }()
	p := &Playing{}
	r.Playing = p
	length := pick(h, 20*time.Second, time.Second)
	late, err := playOne(ctx, c, server, &recordings{name: "alone", sessions: 1, frames: int(length / recordedGap)})
	if err != nil {
		return fmt.Errorf("one session: %w", err)
	}
	p.Alone = percentiles(late)
	if err := p.Many.measure(ctx, h, c, server); err != nil {
		return fmt.Errorf("many sessions: %w", err)
	}
	return p.measureMax(ctx, h, c, server)
}

// listenTo receives the frames of a whole playback.
func listenTo(ctx context.Context, server, session string) (list []arrival, err error) {
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
	}
}

// measure opens the sessions one after another, since real clients do not start simultaneously, and
// takes the delays in a period in which all of them are played.
func (m *Crowd) measure(ctx context.Context, h *harness, c *cluster, server *command) error {
	m.Sessions = pick(h, 1000, 50)
	opening, length := pick(h, 20*time.Second, time.Second), pick(h, 20*time.Second, time.Second)
	all := &recordings{name: "many", sessions: m.Sessions, frames: int((2*opening + length) / recordedGap)}
	if _, err := all.make(ctx, c); err != nil {
		return err
	}
	m.Before, m.Known = resident(server.pid())
	peak := watchMemory(server.pid(), memoryEvery)
	lists, err := m.play(ctx, server, all, opening, length)
	m.Highest = peak()
	var late []time.Duration
	for _, list := range lists {
		late = append(late, list...)
	}
	m.Late = percentiles(late)
	return err
}

func (m *Crowd) play(ctx context.Context, server *command, all *recordings, opening, length time.Duration) (lists [][]time.Duration, err error) {
	lists = make([][]time.Duration, m.Sessions)
	errs := make([]error, m.Sessions)
	var listening sync.WaitGroup
	began := time.Now()
	from, to := began.Add(opening+opening/4), began.Add(opening+opening/4+length)
	for i := range m.Sessions {
		sleepUntil(began.Add(opening * time.Duration(i) / time.Duration(m.Sessions)))
		listening.Go(func() { lists[i], errs[i] = during(ctx, server.url, all.id(i), from, to) })
	}
	sleepUntil(from)
	cpu, known := cpuOf(server.pid())
	clients, tree := ownCPU(), treeCPU()
	sleepUntil(to)
	nowCPU, _ := cpuOf(server.pid())
	m.Took, m.Server, m.Clients, m.Known = length, nowCPU-cpu, ownCPU()-clients, m.Known && known
	m.ClickHouse = treeCPU() - tree - m.Server - m.Clients
	listening.Wait()
	return lists, errors.Join(errs...)
}

// sleepUntil sleeps until a time, to keep a schedule.
func sleepUntil(at time.Time) { time.Sleep(time.Until(at)) }

// during returns the delays of a session's frames that arrived between two times.
func during(ctx context.Context, server, session string, from, to time.Time) ([]time.Duration, error) {
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
func (p *Playing) measureMax(ctx context.Context, h *harness, c *cluster, server *command) (err error) {
	long := &recordings{name: "long", sessions: 1, frames: pick(h, longSession, 20_000)}
	size, err := long.make(ctx, c)
	if err != nil {
		return err
	}
	tape := filepath.Join(c.dir, "long.tape")
	export, err := start(h.Program, c.dir, nil, nil, nil, "export", "--server", server.url, long.id(0), "-o", tape)
	if err != nil {
		return err
	}
	if err := export.wait(ctx); err != nil {
		return err
	}
	// whole checks that all frames arrived. In the mode event the output ends with a line that is
	// not a frame, and has more bytes.
	whole := func(pass Pass, err error, event bool) (Pass, error) {
		if event {
			pass.Frames -= min(pass.Frames, 1)
		}
		if err == nil && (pass.Frames != uint64(long.frames) || !event && pass.Bytes != size) {
			err = fmt.Errorf("%d of %d frames came, with %d of %d bytes", pass.Frames, long.frames, pass.Bytes, size)
		}
		return pass, err
	}
	return alternate(pick(h, 3, 1),
		turn{&p.Event, func() (Pass, error) {
			pass, err := downloadLines(ctx, server.url, long.id(0), "mode=event")
			return whole(pass, err, true)
		}},
		turn{&p.Raw, func() (Pass, error) {
			pass, err := downloadLines(ctx, server.url, long.id(0), "mode=raw")
			return whole(pass, err, false)
		}},
		turn{&p.Tape, func() (Pass, error) {
			pass, err := playFile(ctx, h, c, tape)
			return whole(pass, err, false)
		}})
}

// playFile runs `tapedeck play` on a tape file and counts the printed frames.
func playFile(ctx context.Context, h *harness, c *cluster, tape string) (pass Pass, err error) {
	out, in, err := os.Pipe()
	if err != nil {
		return pass, err
	}
	defer out.Close()
	began := time.Now()
	play, err := start(h.Program, c.dir, nil, nil, in, "play", tape, "--format", "ndjson", "--speed", "max")
	in.Close() // the command has a copy
	if err != nil {
		return pass, err
	}
	pass, err = countLines(out)
	pass.Took = time.Since(began)
	return pass, errors.Join(err, play.wait(ctx))
}
