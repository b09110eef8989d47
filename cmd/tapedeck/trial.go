package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"tapedeck/deploy/tapecopy"
	"tapedeck/ingest"
	"tapedeck/ingest/copier"
	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/custom"
	"tapedeck/ingest/dialect/dialects"
	"tapedeck/ingest/explain"
	"tapedeck/internal/console"
	"tapedeck/internal/usage"
	"tapedeck/replay"
	"tapedeck/schema"
)

// trial prints what a dialect makes of frames.
type trial struct {
	mapping    *custom.Mapping
	dialect    dialect.Dialect
	json       bool
	quiet      bool
	out        io.Writer
	streams    map[string]*explain.Stream
	order      []string
	recogniser *dialects.Recogniser
	parser     ingest.Parser
	last       int64
}

// newTrial begins a trial. Besides the dialect the built-in ones are asked whose stream it is.
func newTrial(m *custom.Mapping, asJSON, quiet bool) *trial {
	return &trial{
		mapping: m, dialect: m.Dialect(), json: asJSON, quiet: quiet, out: console.To(os.Stdout),
		streams: map[string]*explain.Stream{}, recogniser: dialects.NewRecogniser(),
	}
}

// capture reads a file with a captured stream, as "record FILE" does.
func (t *trial) capture(ctx context.Context, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	transport, from := copier.Sniff(copier.NewFileReader(f))
	seq := uint64(0)
	return copier.Copy(ctx, from, copier.NewFramer(transport, 0), func(f *schema.Frame) error {
		f.Seq = seq
		seq++
		return t.frame(path, f)
	})
}

// session reads the frames of a session, or of one on a tape file.
func (t *trial) session(ctx context.Context, g *global, name, of string) error {
	file, done, err := tapecopy.Open(ctx, name, g.client)
	if err != nil {
		return err
	}
	defer done()
	ids := file.Sessions()
	id := cmp.Or(of, name)
	if !slices.Contains(ids, id) {
		if of != "" || len(ids) != 1 {
			return usage.Errorf("%s holds the sessions %s: name one with --session ID", name, joined(ids))
		}
		id = ids[0]
	}
	tape, err := file.Tape(ctx, "", id)
	if err != nil {
		return err
	}
	r, err := tape.Read(ctx, replay.Query{Filter: replay.Filter{Bytes: true}})
	if err != nil {
		return err
	}
	defer r.Close()
	for {
		frames, err := r.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		for i := range frames {
			if err := t.frame(frames[i].Stream.StreamID, &frames[i].Frame); err != nil {
				return err
			}
		}
	}
}

// frame decodes one frame and prints its line.
func (t *trial) frame(stream string, f *schema.Frame) error {
	s := t.streams[stream]
	if s == nil {
		s = explain.New(t.dialect, stream)
		t.streams[stream] = s
		t.order = append(t.order, stream)
		if len(t.order) > 1 && !t.quiet && !t.json {
			fmt.Fprintf(t.out, "stream %s\n", stream)
		}
	}
	t.last = f.At
	own := *f
	var missing []string
	t.parser.Parse(&own, func(in *dialect.Input) {
		t.recogniser.Observe(in)
		missing = t.mapping.Missing(in)
	})
	line := s.Frame(&own)
	if len(line.Became) == 0 {
		line.Missing = missing
	}
	switch {
	case t.quiet:
	case t.json:
		return json.NewEncoder(os.Stdout).Encode(&line)
	default:
		fmt.Fprintf(t.out, "%6d  %-24s  %s\n", line.Seq, console.Clip(cmp.Or(line.Type, "–"), 24), becameText(&line))
	}
	return nil
}

// becameText says what became of a frame.
func becameText(l *explain.Line) string {
	switch {
	case len(l.Became) > 0:
		return console.Line(strings.Join(l.Became, "; "))
	case l.NotJSON:
		return "nothing: it is not JSON"
	case l.Unknown:
		return "nothing: no rule is for it"
	case l.Empty:
		return "nothing: it has no message"
	case len(l.Missing) > 0:
		return console.Clip("nothing: no value at "+strings.Join(l.Missing, ", "), 200)
	}
	return "nothing"
}

// finish ends the streams and prints the totals.
func (t *trial) finish() error {
	all := explain.Totals{Runs: map[schema.Status]uint64{}, Unmatched: map[string]uint64{}}
	for _, id := range t.order {
		s := t.streams[id]
		became := s.End(t.last)
		if len(became) > 0 && !t.quiet && !t.json {
			fmt.Fprintf(t.out, "%6s  %-24s  %s\n", "end", "", console.Line(strings.Join(became, "; ")))
		}
		all.Add(&s.Totals)
	}
	recognised, evidence := t.recogniser.Settle()
	if t.json {
		return json.NewEncoder(os.Stdout).Encode(map[string]any{
			"totals": &all, "recognised": recognised.Name, "evidence": evidence,
		})
	}
	if !t.quiet {
		fmt.Fprintln(t.out)
	}
	printTotals(t.out, &all)
	fmt.Fprintf(t.out, "recognised  as %s (%s)\n", recognised.Name, console.Line(evidence))
	if recognised.Name != t.dialect.Name {
		fmt.Fprintf(t.out, "next        --dialect %s names the dialect; or change the conditions of match in the file\n", t.dialect.Name)
	}
	return nil
}

func printTotals(w io.Writer, all *explain.Totals) {
	runs := uint64(0)
	var states []string
	for _, status := range slices.Sorted(maps.Keys(all.Runs)) {
		if n := all.Runs[status]; n > 0 {
			runs += n
			states = append(states, fmt.Sprintf("%d %s", n, status))
		}
	}
	fmt.Fprintf(w, "%s: %s", console.Count(all.Frames, "frame"), console.Count(runs, "run"))
	if len(states) > 0 {
		fmt.Fprintf(w, " (%s)", strings.Join(states, ", "))
	}
	fmt.Fprintf(w, ", %s, %s, text %s, thinking %s\n", console.Count(all.Calls, "model call"), console.Count(all.Tools, "tool call"),
		console.Count(all.Text, "character"), console.Count(all.Thinking, "character"))
	tokens := "–, no usage was found"
	if n := all.Tokens; all.Reports > 0 {
		tokens = fmt.Sprintf("input %s, cache read %s, cache write %s, output %s, reasoning %s, total %s", console.Thousands(n.Input), console.Thousands(n.CacheRead),
			console.Thousands(n.CacheWrite5m+n.CacheWrite1h), console.Thousands(n.Output), console.Thousands(n.Reasoning), console.Thousands(n.Sum()))
	}
	fmt.Fprintf(w, "tokens      %s\n", tokens)
	if all.NotJSON > 0 {
		fmt.Fprintf(w, "note        %s not JSON\n", areFrames(all.NotJSON))
	}
	for _, typ := range slices.Sorted(maps.Keys(all.Unmatched)) {
		fmt.Fprintf(w, "no rule for %s: %s\n", console.Clip(cmp.Or(typ, "frames without a type"), 60), console.Count(all.Unmatched[typ], "frame"))
	}
}

// areFrames is "1 frame is" or "7 frames are".
func areFrames(n uint64) string {
	if n == 1 {
		return "1 frame is"
	}
	return console.Count(n, "frame") + " are"
}
