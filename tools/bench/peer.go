package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"tapedeck/internal/local"
	"tapedeck/internal/syncbuffer"
	"tapedeck/schema/clickhouse"
)

// peer measures Benthos on the same frames, between the same servers.
type peer struct {
	ours    whole // on the same frames, before the peer and after it
	frames  uint64
	publish time.Duration // file to JetStream
	store   time.Duration // JetStream to ClickHouse
	notice  string        // the reason if it was not measured
}

// peerFrames is enough to measure a rate that is much lower.
const peerFrames = 300_000

func (s *peer) measure(ctx context.Context, w *workshop) (err error) {
	if w.Peer == "" {
		s.notice = "it takes the module proxy and some minutes to build: `make bench BENCH_PEER=1`"
		return nil
	}
	program, err := buildPeer(ctx, w)
	if err != nil {
		s.notice = "it could not be built: " + firstLine(err)
		w.Say("the peer is left out: " + err.Error())
		return nil
	}
	dir, err := w.room("peer")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	path := filepath.Join(dir, "frames.ndjson")
	if s.frames, err = copyLines(path, w.path, full(w, peerFrames, peerFrames/10)); err != nil {
		return err
	}
	if err := s.ours.take(path, s.frames); err != nil {
		return err
	}
	for _, turn := range []func() error{
		func() error { return s.ours.once(ctx, w) },
		func() error { return s.run(ctx, w, program, dir, path) },
		func() error { return s.ours.once(ctx, w) },
	} {
		if err := turn(); err != nil {
			return err
		}
	}
	return nil
}

// run makes the peer publish the file and store it.
func (s *peer) run(ctx context.Context, w *workshop, program, dir, path string) (err error) {
	servers, err := local.Start(ctx, local.Options{Dir: filepath.Join(dir, "servers"), ListenNATS: "127.0.0.1:0", Logger: w.Log})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, servers.Close(context.WithoutCancel(ctx))) }()
	nc, err := servers.ConnectNATS()
	if err != nil {
		return err
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		return err
	}
	_, err = js.CreateStream(ctx, jetstream.StreamConfig{Name: "PEER", Subjects: []string{"peer.>"}, Storage: jetstream.FileStorage})
	if err != nil {
		return fmt.Errorf("create the peer's stream: %w", err)
	}
	db, err := clickhouse.Open(servers.ClickHouseDSN())
	if err != nil {
		return err
	}
	defer db.Close()
	if err := db.Exec(ctx, createPeer); err != nil {
		return fmt.Errorf("create the peer's table: %w", err)
	}
	env := append(os.Environ(), "FRAMES="+path, "NATS_URL="+servers.NATSURL(), "CLICKHOUSE_DSN="+servers.ClickHouseDSN())

	began := time.Now()
	if out, err := peerCommand(ctx, program, filepath.Join(w.Peer, "publish.yaml"), env).CombinedOutput(); err != nil {
		return fmt.Errorf("the peer's publishing: %w: %s", err, out)
	}
	s.publish = time.Since(began)

	var log syncbuffer.Output
	cmd := peerCommand(ctx, program, filepath.Join(w.Peer, "sink.yaml"), env)
	cmd.Stdout, cmd.Stderr = &log, &log
	began = time.Now()
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("the peer's sink: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	life, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	err = waitFor(life, db, countPeer, s.frames)
	s.store = time.Since(began)
	_ = cmd.Process.Signal(syscall.SIGTERM) // it may have ended by itself
	stopped := <-ended
	if err != nil {
		return errors.Join(err, stopped, errors.New(log.String()))
	}
	return nil
}

// peerCommand runs the peer with one of its configurations. When ctx ends, the peer
// receives an interrupt before it is killed.
func peerCommand(ctx context.Context, program, config string, env []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, "-c", config)
	cmd.Env = env
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// rate returns the peer's end-to-end rate, frames per second.
func (s *peer) rate() float64 { return Lap{Frames: s.frames, Took: s.publish + s.store}.Rate() }

func (s *peer) measured() bool { return s.store > 0 }

func (s *peer) write(p *page) {
	if !s.measured() {
		p.text("Not measured in this run: %s.", s.notice)
		return
	}
	p.text("Benthos 4.27 with its components for file → JetStream and JetStream → ClickHouse, on the first %s of the same frames, between servers as\n"+
		"in local mode. It stores four fields and the line; no facts. It publishes and stores in turn, and its rate end to end is the frames\n"+
		"over the sum of both times, its start-up included.", count(float64(s.frames)))
	p.table("| | frames/s | seconds |", "|---|---:|---:|")
	for _, row := range []struct {
		name string
		took time.Duration
	}{{"file → JetStream", s.publish}, {"JetStream → ClickHouse", s.store}, {"end to end", s.publish + s.store}} {
		p.row(row.name, count(Lap{Frames: s.frames, Took: row.took}.Rate()), fmt.Sprintf("%.2f", row.took.Seconds()))
	}
	p.row("tapedeck, end to end", s.ours.runs().median(), fmt.Sprintf("%.2f", s.ours.runs().Median().Took.Seconds()))
	p.text("tapedeck recorded the same frames as above, before the peer and after it; the slower of both counts. It is %s as fast.", times(s.multiple()))
}

// multiple returns how many times as fast tapedeck is, end to end.
func (s *peer) multiple() float64 { return s.ours.runs().Median().Rate() / s.rate() }

func (s *peer) bars() []bar {
	const name, want = "end to end, of Benthos", 25
	if !s.measured() || len(s.ours.passes) == 0 {
		return []bar{atLeast(name, false, 0, want, times)}
	}
	return []bar{atLeast(name, true, s.multiple(), want, times)}
}
