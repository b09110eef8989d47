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

// Peer holds the rates of Benthos on the first frames of the file, with the same servers.
type Peer struct {
	Ours    Passes        `json:"ours,omitempty"` // tapedeck on the same frames, before the peer and after it
	Frames  uint64        `json:"frames,omitempty"`
	Publish time.Duration `json:"publish_ns,omitempty"` // file to JetStream
	Store   time.Duration `json:"store_ns,omitempty"`   // JetStream to ClickHouse
	Notice  string        `json:"notice,omitempty"`     // why it was not measured
}

// Passes returns the pass from the file to JetStream, the pass from JetStream to ClickHouse, and
// their sum.
func (p *Peer) Passes() []Pass {
	return []Pass{{Frames: p.Frames, Took: p.Publish}, {Frames: p.Frames, Took: p.Store}, {Frames: p.Frames, Took: p.Publish + p.Store}}
}

// Multiple returns how many times as fast tapedeck is, end to end.
func (p *Peer) Multiple() float64 { return p.Ours.Median().Rate() / p.Passes()[2].Rate() }

// peerFrames is the number of frames, enough to measure a rate that is much lower.
const peerFrames = 300_000

func measurePeer(ctx context.Context, h *harness, r *Results) (err error) {
	p := &Peer{}
	r.Peer = p
	if h.Peer == "" {
		p.Notice = "it takes the module proxy and some minutes to build: `make bench BENCH_PEER=1`"
		return nil
	}
	dir, err := h.tempDir("peer")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	program, err := buildPeer(ctx, h, dir)
	if err != nil {
		p.Notice, _, _ = strings.Cut("it could not be built: "+err.Error(), "\n")
		h.Say("the peer is left out: " + err.Error())
		return nil
	}
	path := filepath.Join(dir, "frames.ndjson")
	if p.Frames, err = copyLines(path, h.path, pick(h, peerFrames, peerFrames/10)); err != nil {
		return err
	}
	of, err := fileWorkload("the peer's frames", path)
	if err != nil {
		return err
	}
	ours := of.results()
	if err := ours.record(ctx, h, of); err != nil {
		return err
	}
	if err := p.run(ctx, h, program, dir, path); err != nil {
		return err
	}
	err = ours.record(ctx, h, of)
	p.Ours = ours.Runs()
	return err
}

// buildLimit bounds the build of the peer, which downloads several hundred modules.
const buildLimit = 20 * time.Minute

// buildPeer builds the peer's program in dir, and returns its path. The build adds checksums to the
// copy of go.mod.
func buildPeer(ctx context.Context, h *harness, dir string) (string, error) {
	h.Say("building the peer, which takes some minutes the first time …")
	text, err := os.ReadFile(filepath.Join(h.Peer, "go.mod"))
	if err != nil {
		return "", fmt.Errorf("source of the peer: %w", err)
	}
	modules, program := filepath.Join(dir, "go.mod"), filepath.Join(dir, "benthos")
	if err := os.WriteFile(modules, text, 0o644); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, buildLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", "build", "-C", h.Peer, "-mod=mod", "-modfile="+modules, "-o", program, ".")
	cmd.Env = append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build of the peer: %w\n%s", err, out)
	}
	return program, nil
}

// run makes the peer publish the file and store it.
func (p *Peer) run(ctx context.Context, h *harness, program, dir, path string) (err error) {
	servers, err := local.Start(ctx, local.Options{Dir: filepath.Join(dir, "servers"), ListenNATS: "127.0.0.1:0", Logger: h.Log})
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
	if err := db.Exec(ctx, statement("create_peer")); err != nil {
		return fmt.Errorf("create the peer's table: %w", err)
	}
	env := append(os.Environ(), "FRAMES="+path, "NATS_URL="+servers.NATSURL(),
		"CLICKHOUSE_DSN="+servers.ClickHouseDSN())

	began := time.Now()
	if out, err := peerCommand(ctx, program, filepath.Join(h.Peer, "publish.yaml"), env).CombinedOutput(); err != nil {
		return fmt.Errorf("the peer's publishing: %w: %s", err, out)
	}
	p.Publish = time.Since(began)

	var log syncbuffer.Output
	cmd := peerCommand(ctx, program, filepath.Join(h.Peer, "sink.yaml"), env)
	cmd.Stdout, cmd.Stderr = &log, &log
	began = time.Now()
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("the peer's sink: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	life, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	err = waitFor(life, db, statement("count_peer"), p.Frames)
	p.Store = time.Since(began)
	_ = cmd.Process.Signal(syscall.SIGTERM) // it may have ended already
	stopped := <-ended
	if err != nil {
		return errors.Join(err, stopped, errors.New(log.String()))
	}
	return nil
}

// peerCommand returns the command that runs the peer with one of its configurations. When ctx ends,
// the peer receives an interrupt before it is killed.
func peerCommand(ctx context.Context, program, config string, env []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, "-c", config)
	cmd.Env = env
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	return cmd
}
