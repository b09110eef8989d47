// Package dialecttrial shows which facts a dialect file derives from frames.
package dialecttrial

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"tapedeck/ingest"
	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/custom"
	"tapedeck/ingest/dialect/dialects"
	"tapedeck/ingest/explain"
	"tapedeck/ingest/tap/copier"
	"tapedeck/internal/apiclient"
	"tapedeck/internal/app/command/printers"
	"tapedeck/internal/app/command/tapecopy"
	"tapedeck/internal/commandline"
	"tapedeck/internal/console"
	"tapedeck/replay"
	"tapedeck/schema"
)

// Trial prints the facts that a dialect derives from frames.
type Trial struct {
	mapping    *custom.Mapping
	dialect    dialect.Dialect
	json       bool
	quiet      bool
	raw        io.Writer // for JSON
	out        io.Writer
	streams    map[string]*explain.Stream
	order      []string
	recogniser *dialects.Recogniser
	parser     ingest.Parser
	last       int64
}

// New begins a trial. The built-in dialects take part in recognising the stream's dialect.
func New(out io.Writer, m *custom.Mapping, asJSON, quiet bool) *Trial {
	return &Trial{
		mapping: m, dialect: m.Dialect(), json: asJSON, quiet: quiet, out: console.To(out), raw: out,
		streams: map[string]*explain.Stream{}, recogniser: dialects.NewRecogniser(),
	}
}

// Capture reads a file with a captured stream, as "record FILE" does.
func (t *Trial) Capture(ctx context.Context, path string) error {
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

// Session reads the frames of a session of the server or of a tape file.
func (t *Trial) Session(ctx context.Context, server func() (*apiclient.Client, error), name, of string) error {
	file, done, err := tapecopy.Open(ctx, name, server)
	if err != nil {
		return err
	}
	defer done()
	ids := file.Sessions()
	id := cmp.Or(of, name)
	if !slices.Contains(ids, id) {
		if of != "" || len(ids) != 1 {
			return commandline.Errorf("%s holds the sessions %s: name one with --session ID", name,
				strings.Join(ids, ","))
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
func (t *Trial) frame(stream string, f *schema.Frame) error {
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
		return json.NewEncoder(t.raw).Encode(&line)
	default:
		fmt.Fprintf(t.out, "%6d  %-24s  %s\n", line.Seq, console.Clip(cmp.Or(line.Type, "–"), 24),
			printers.Became(&line))
	}
	return nil
}

// Finish ends the streams and prints the totals.
func (t *Trial) Finish() error {
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
		return json.NewEncoder(t.raw).Encode(map[string]any{
			"totals": &all, "recognised": recognised.Name, "evidence": evidence,
		})
	}
	if !t.quiet {
		fmt.Fprintln(t.out)
	}
	printers.DialectTotals(t.out, &all)
	fmt.Fprintf(t.out, "recognised  as %s (%s)\n", recognised.Name, console.Line(evidence))
	if recognised.Name != t.dialect.Name {
		fmt.Fprintf(t.out, "next        --dialect %s names the dialect; or change the conditions of match in the file\n", t.dialect.Name)
	}
	return nil
}
