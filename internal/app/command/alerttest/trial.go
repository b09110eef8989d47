// Package alerttest finds the alerts that rules would have had during a recording. Its frames are decoded
// again in order, so each rule sees what was known at each moment, and the clock is that of the
// recording.
package alerttest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"tapedeck/ingest"
	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/dialects"
	"tapedeck/query/alerts/evaluate"
	"tapedeck/query/alerts/rule"
	"tapedeck/query/pricing/cost"
	"tapedeck/query/pricing/prices"
	"tapedeck/replay"
	"tapedeck/schema"
)

// interval is the time on the recording's clock between two evaluations, as a server has it.
const interval = int64(time.Second)

// Options configure a trial.
type Options struct {
	Rules   []rule.Rule
	Tenant  string
	Session string
	// Usual is how long the calls of tools took before the recording; nil for none. The calls in the
	// recording are added to the tools that it lacks.
	Usual  map[string]evaluate.Usual
	Prices *prices.Effective
}

// Trial evaluates rules during one recording.
type Trial struct {
	opts     Options
	episodes *evaluate.Episodes
	state    *state
	streams  map[string]*stream
	parser   ingest.Parser
	at       int64 // of the last evaluation, ns
	last     int64 // arrival of the last frame, ns
	alerts   []*evaluate.Alert
	over     map[string]bool // ids of alerts that ended: their episodes do not begin again
	refused  map[string]bool // ids of alerts beyond the bound of their rule
}

// stream is a stream with its decoder.
type stream struct {
	decoder dialect.Decoder
	emitter *dialect.Emitter
	ends    int64 // ns; 0 for no end
}

// New begins a trial.
func New(opts Options) *Trial {
	return &Trial{opts: opts, episodes: evaluate.NewEpisodes(opts.Rules), streams: map[string]*stream{}, over: map[string]bool{}, refused: map[string]bool{},
		state: newState(opts.Tenant, opts.Session, &cost.Pricer{Table: opts.Prices, Tenant: opts.Tenant, Split: cost.SplitOf(opts.Prices)})}
}

// Result is what a trial found.
type Result struct {
	// Alerts are ordered by their begin. Those without an end held when the recording ended.
	Alerts []*evaluate.Alert `json:"items"`
	// Refused counts the alerts beyond max_per_hour of their rule.
	Refused int `json:"refused"`
	// Skipped names the rules that were not evaluated: budgets of tag values and tenants add up all sessions, which only
	// a server has.
	Skipped []string `json:"skipped"`
}

// Tape evaluates the rules during the recording of a tape.
func Tape(ctx context.Context, t replay.Tape, opts Options) (*Result, error) {
	trial := New(opts)
	for _, s := range t.Streams() {
		if err := trial.Open(s); err != nil {
			return nil, err
		}
	}
	r, err := t.Read(ctx, replay.Query{Filter: replay.Filter{Bytes: true}})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	for {
		frames, err := r.Next(ctx)
		if errors.Is(err, io.EOF) || errors.Is(err, replay.ErrLive) {
			return trial.Finish()
		}
		if err != nil {
			return nil, err
		}
		for i := range frames {
			if err := trial.Frame(frames[i].Stream.StreamID, &frames[i].Frame); err != nil {
				return nil, err
			}
		}
	}
}

// Open adds a stream. Its dialect must be known.
func (t *Trial) Open(s schema.StreamState) error {
	d, err := dialects.ByName(s.Dialect)
	if err != nil {
		return fmt.Errorf("stream %s: %w", s.StreamID, err)
	}
	t.streams[s.StreamID] = &stream{decoder: d.New(s.StreamID), emitter: dialect.NewEmitter(s.StreamID), ends: s.Ended}
	t.state.open(s)
	return nil
}

// Frame evaluates the rules at the moment before a frame arrives, and decodes the frame.
func (t *Trial) Frame(id string, f *schema.Frame) error {
	s := t.streams[id]
	if s == nil {
		return fmt.Errorf("frame %d is of stream %q, which the recording does not name", f.Seq, id)
	}
	if err := t.end(f.At); err != nil {
		return err
	}
	if t.at == 0 {
		t.at = f.At
	}
	if f.At-t.at >= interval {
		if err := t.evaluate(f.At); err != nil {
			return err
		}
	}
	own := *f
	own.Envelope = schema.Envelope{}
	t.parser.Parse(&own, func(in *dialect.Input) { s.emitter.Read(s.decoder, in) })
	s.emitter.TakeLost()
	facts, _ := s.emitter.Take(f.At, true)
	t.state.add(id, &facts)
	t.last = max(t.last, f.At)
	t.state.session.LastAt = t.last
	return nil
}

// end ends the streams that end before a time, in the order of their ends.
func (t *Trial) end(before int64) error {
	var due []string
	for id, s := range t.streams {
		if s.ends != 0 && s.ends < before {
			due = append(due, id)
		}
	}
	slices.SortFunc(due, func(a, b string) int {
		return cmp.Or(cmp.Compare(t.streams[a].ends, t.streams[b].ends), strings.Compare(a, b))
	})
	for _, id := range due {
		s := t.streams[id]
		if err := t.evaluate(s.ends); err != nil {
			return err
		}
		s.decoder.End(s.ends, s.emitter)
		facts, _ := s.emitter.Take(s.ends, true)
		t.state.add(id, &facts)
		t.state.end(id)
		s.ends = 0
	}
	return nil
}

// Finish ends the recording.
func (t *Trial) Finish() (*Result, error) {
	until := t.last
	for _, s := range t.streams {
		until = max(until, s.ends)
	}
	if err := t.end(until + 1); err != nil {
		return nil, err
	}
	if err := t.evaluate(until); err != nil {
		return nil, err
	}
	slices.SortStableFunc(t.alerts, func(a, b *evaluate.Alert) int { return a.Began.Compare(b.Began) })
	result := &Result{Alerts: t.alerts, Refused: len(t.refused), Skipped: []string{}}
	for i := range t.opts.Rules {
		if r := &t.opts.Rules[i]; !r.OfSessions() {
			result.Skipped = append(result.Skipped, r.Name)
		}
	}
	return result, nil
}

// evaluate evaluates the rules at a time, ns.
func (t *Trial) evaluate(now int64) error {
	t.at = now
	session, err := t.state.current()
	if err != nil {
		return err
	}
	holds := map[string]bool{}
	t.episodes.KeepRunning(session, holds)
	for _, f := range evaluate.Findings(t.opts.Rules, session, t.usual, now) {
		holds[evaluate.Condition(session, &f)] = true
		a := t.episodes.New(session, &f)
		switch {
		case a == nil || t.over[a.ID]:
		case t.episodes.Begin(a, now):
			t.alerts = append(t.alerts, a)
		default:
			t.refused[a.ID] = true
		}
	}
	for _, over := range t.episodes.Finish(holds, now) {
		i := slices.IndexFunc(t.alerts, func(a *evaluate.Alert) bool { return a.ID == over.ID })
		t.alerts[i] = over
		t.over[over.ID] = true
	}
	return nil
}

// usual returns how long the earlier calls of a tool took.
func (t *Trial) usual(tool string) (evaluate.Usual, bool) {
	if u, ok := t.opts.Usual[tool]; ok {
		return u, true
	}
	return t.state.usual(tool)
}
