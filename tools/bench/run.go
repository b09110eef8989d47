package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tapedeck/ingest"
)

// Setup holds the settings of every benchmark.
type Setup struct {
	Program string // the tapedeck program, run as by a user
	Version string
	Dir     string // for all files; the caller removes it
	Log     *slog.Logger
	Say     func(text string) // receives progress messages
}

// Options configures a run.
type Options struct {
	Setup
	Frames int           // number of frames to generate if File is ""
	File   string        // Loom NDJSON to record instead of generated frames; its frames have the full envelope
	Stored int           // frames in the store while sessions are opened; default 10 million
	Drift  time.Duration // how long a playback is checked for drift; default a minute
	// Quick measures briefly with a tenth of the streams, to check that the benchmark works. Its
	// figures are meaningless.
	Quick    bool
	Peer     string   // directory of the peer's source; "" leaves the peer out
	Dialects string   // file with the output of the dialects' Go benchmarks; "" for none
	Only     []string // names of parts to measure; all if empty
}

// Results holds the results of the parts; nil for a part that was not measured.
type Results struct {
	EndToEnd   *EndToEnd     `json:"end_to_end,omitempty"`
	Bytes      []*EndToEnd   `json:"bytes,omitempty"`
	Redaction  []RedactionOf `json:"redaction,omitempty"`
	Tap        Passes        `json:"tap,omitempty"`
	Publish    *Publish      `json:"publish,omitempty"`
	Durability []Durability  `json:"durability,omitempty"`
	Sink       *Sink         `json:"sink,omitempty"`
	Disk       *Disk         `json:"disk,omitempty"`
	Delay      []DelayAt     `json:"delay,omitempty"`
	Proxy      *Proxy        `json:"proxy,omitempty"`
	Streams    *Streams      `json:"streams,omitempty"`
	Alerts     *Alerts       `json:"alerts,omitempty"`
	Playing    *Playing      `json:"playing,omitempty"`
	Openings   *Openings     `json:"openings,omitempty"`
	Drift      *Drift        `json:"drift,omitempty"`
	Dialects   []DialectRate `json:"dialects,omitempty"`
	Peer       *Peer         `json:"peer,omitempty"`
}

// part is one measurement.
type part struct {
	name, title string
	measure     func(ctx context.Context, h *harness, r *Results) error
}

// parts are all measurements, in their order.
var parts = []part{
	{"whole", "end to end", measureEndToEnd},
	{"bytes", "bytes", measureBytes},
	{"redaction", "redaction", measureRedaction},
	{"tap", "stage: tap and dialect", measureTap},
	{"publish", "stage: publish", measurePublish},
	{"durability", "what an acknowledgement costs", measureDurability},
	{"sink", "stage: sink", measureSink},
	{"disk", "on disk", measureDisk},
	{"delay", "delay", measureDelay},
	{"proxy", "proxy", measureProxy},
	{"streams", "many streams", measureStreams},
	{"alerts", "alerts", measureAlerts},
	{"playing", "playing", measurePlaying},
	{"openings", "opening and seeking", measureOpenings},
	{"drift", "drift", measureDrift},
	{"dialects", "dialects", measureDialects},
	{"peer", "a peer: Benthos", measurePeer},
}

// Names returns the names of the parts.
func Names() (names []string) {
	for _, p := range parts {
		names = append(names, p.name)
	}
	return names
}

// harness is the state shared by the parts.
type harness struct {
	Options
	path    string // the file of frames
	frames  uint64
	bytes   uint64
	blocks  []ingest.EncodedBlock // blocks of the file; see encodedBlocks
	cluster *cluster              // nil until a part needs it
}

// pick returns long, or short if Options.Quick is set.
func pick[T any](h *harness, long, short T) T {
	if h.Quick {
		return short
	}
	return long
}

// tempDir creates a directory for a part.
func (h *harness) tempDir(name string) (string, error) {
	return os.MkdirTemp(h.Dir, name+"-")
}

// Run measures the parts. If a part fails, the others are measured all the same: the report then has
// their results, and is returned with the errors. It is nil if no part was measured.
func Run(ctx context.Context, opts Options) (_ *Report, err error) {
	h := &harness{Options: opts, path: opts.File}
	h.Stored = cmp.Or(h.Stored, pick(h, 10_000_000, 20_000))
	h.Drift = cmp.Or(h.Drift, pick(h, time.Minute, time.Second))
	if h.path == "" {
		h.path = filepath.Join(h.Dir, "frames.ndjson")
		if err := Generate(opts.Frames, h.path); err != nil {
			return nil, err
		}
	}
	if h.frames, h.bytes, err = size(h.path); err != nil {
		return nil, err
	}
	r := &Report{Environment: h.environment("benchmarks"), Quick: opts.Quick, Given: opts.File != "",
		Frames: h.frames, Bytes: h.bytes}
	defer func() { err = errors.Join(err, h.cluster.stop(context.WithoutCancel(ctx))) }()
	measured := 0
	for _, p := range parts {
		if len(opts.Only) > 0 && !slices.Contains(opts.Only, p.name) {
			continue
		}
		began := time.Now()
		h.Say(p.title + " …")
		if failed := p.measure(ctx, h, &r.Results); failed != nil {
			failed = fmt.Errorf("measure %s: %w", strings.ToLower(p.title), failed)
			h.Say(failed.Error())
			err = errors.Join(err, failed)
			if ctx.Err() != nil {
				break
			}
			continue
		}
		measured++
		h.Say(fmt.Sprintf("%s: measured in %v", p.title, time.Since(began).Round(time.Millisecond)))
	}
	if measured == 0 {
		return nil, err
	}
	r.Bars, r.Took = r.Results.bars(), time.Since(r.When)
	return r, err
}
