package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"tapedeck/ingest"
)

// Options configures a run.
type Options struct {
	Program string // the tapedeck program, run as a user runs it
	Version string
	Dir     string        // for all files; the caller removes it
	Frames  int           // to generate; without File
	File    string        // Loom NDJSON to record in place of generated frames; its frames have the full envelope
	Stored  int           // frames to have in the store while sessions are opened; 10 million
	Drift   time.Duration // how long to watch whether a playback drifts; a minute
	// Quick measures briefly with a tenth of the streams, to check that
	// the benchmark works. Its figures are meaningless.
	Quick    bool
	Peer     string   // directory of the peer's source; "": without it
	Dialects string   // file with the output of the dialects' Go benchmarks; "": without
	Only     []string // names of parts to measure; all if empty
	Log      *slog.Logger
	Say      func(text string) // receives progress messages
}

// part is one measurement.
type part interface {
	// measure takes the figures.
	measure(ctx context.Context, w *workshop) error
	// write writes them.
	write(p *page)
	// bars compares them with their targets; also if nothing was measured.
	bars() []bar
}

// named is a part with its name on the command line and in the report.
type named struct {
	name, title string
	part        part
	done        bool
}

// parts lists all, in the order in which they are measured and written.
func parts() []*named {
	s := &sinkStage{}
	return []*named{
		{name: "whole", title: "End to end", part: &whole{}},
		{name: "redaction", title: "Redaction", part: &redaction{}},
		{name: "tap", title: "Stage: tap and dialect", part: &tapStage{}},
		{name: "publish", title: "Stage: publish", part: &publishStage{}},
		{name: "durability", title: "What an acknowledgement costs", part: &durability{}},
		{name: "sink", title: "Stage: sink", part: s},
		{name: "disk", title: "On disk", part: &disk{sink: s}},
		{name: "delay", title: "Delay", part: &delay{}},
		{name: "proxy", title: "Proxy", part: &proxied{}},
		{name: "streams", title: "Many streams", part: &streams{}},
		{name: "playing", title: "Playing", part: &playing{}},
		{name: "openings", title: "Opening and seeking", part: &openings{}},
		{name: "drift", title: "Drift", part: &drift{}},
		{name: "dialects", title: "Dialects", part: &dialectRates{}},
		{name: "peer", title: "A peer: Benthos", part: &peer{}},
	}
}

// Names returns the names of the parts.
func Names() []string {
	var names []string
	for _, n := range parts() {
		names = append(names, n.name)
	}
	return names
}

// workshop is the state shared by the parts.
type workshop struct {
	Options
	path    string // the file of frames
	frames  uint64
	bytes   uint64
	blocks  []ingest.EncodedBlock // the file's; see encodedBlocks
	cluster *cluster              // nil until a part needs it
}

// full returns long, or short if Options.Quick is set.
func full[T any](w *workshop, long, short T) T {
	if w.Quick {
		return short
	}
	return long
}

// Run measures.
func Run(ctx context.Context, opts Options) (_ *Report, err error) {
	w := &workshop{Options: opts, path: opts.File}
	w.Stored = cmp.Or(w.Stored, full(w, 10_000_000, 20_000))
	w.Drift = cmp.Or(w.Drift, full(w, time.Minute, time.Second))
	if w.Log == nil {
		w.Log = slog.New(slog.DiscardHandler)
	}
	if w.Say == nil {
		w.Say = func(string) {}
	}
	if w.path == "" {
		w.path = filepath.Join(w.Dir, "frames.ndjson")
		if err := Generate(opts.Frames, w.path); err != nil {
			return nil, err
		}
	}
	if w.frames, w.bytes, err = size(w.path); err != nil {
		return nil, err
	}
	r := &Report{
		Version: opts.Version, Go: runtime.Version(), When: time.Now(), Quick: opts.Quick,
		Given: opts.File != "", Frames: w.frames, Bytes: w.bytes, Machine: thisMachine(w.Dir), parts: parts(),
	}
	defer func() { err = errors.Join(err, w.cluster.stop(context.WithoutCancel(ctx))) }()
	for _, p := range r.parts {
		if len(opts.Only) > 0 && !slices.Contains(opts.Only, p.name) {
			continue
		}
		began := time.Now()
		w.Say(p.title + " …")
		if err := p.part.measure(ctx, w); err != nil {
			return nil, fmt.Errorf("measure %s: %w", strings.ToLower(p.title), err)
		}
		p.done = true
		w.Say(fmt.Sprintf("%s: measured in %v", p.title, time.Since(began).Round(time.Millisecond)))
	}
	r.Took = time.Since(r.When)
	return r, nil
}

// room makes a directory for a part.
func (w *workshop) room(name string) (string, error) {
	return os.MkdirTemp(w.Dir, name+"-")
}
