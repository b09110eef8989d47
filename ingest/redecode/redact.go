package redecode

import (
	"context"
	"time"

	"tapedeck/ingest/redact"
	"tapedeck/schema"
)

// RedactOptions configure what is masked in a session's frames.
type RedactOptions struct {
	Engine *redact.Engine
	DryRun bool // change nothing
	Wait   bool // wait until the replaced files are deleted
}

// Redacted is the result of masking the secrets of a session.
type Redacted struct {
	SessionID string `json:"session_id"`
	DryRun    bool   `json:"dry_run"`
	// Changed reports whether frames were rewritten; in a dry run, whether they would be.
	Changed bool              `json:"changed"`
	Counts  map[string]uint64 `json:"redacted"` // secrets, by rule
	Items   []RedactedItem    `json:"items"`    // the first itemLimit secrets
	// Remarks name other places that may contain the secrets.
	Remarks []string `json:"remarks"`
}

// RedactedItem describes a secret that was masked, without the secret itself.
type RedactedItem struct {
	Position string `json:"position"` // of the frame
	redact.Found
}

// itemLimit bounds Redacted.Items.
const itemLimit = 10_000

// Redact masks the secrets in a session's stored frames and decodes its facts again. Its errors are
// as described for Session. It may be interrupted at any step: a repeated call completes it. When
// it returns, no row that ClickHouse reads contains a secret. The files that ClickHouse has
// replaced are deleted some minutes later, or before Redact returns if Wait is set.
func (r *Redecoder) Redact(ctx context.Context, tenant, session string, opts RedactOptions) (*Redacted, error) {
	m := &masks{engine: opts.Engine, dryRun: opts.DryRun, result: Redacted{
		SessionID: session, DryRun: opts.DryRun, Counts: map[string]uint64{}, Items: []RedactedItem{}, Remarks: []string{},
	}}
	if _, err := r.Decode(ctx, tenant, session, Options{mask: m}); err != nil {
		return nil, err
	}
	if opts.Wait {
		if err := r.awaitFiles(ctx, tenant, session, m); err != nil {
			return nil, err
		}
	}
	return &m.result, nil
}

// masks holds the secrets that are masked in the frames of a session.
type masks struct {
	engine  *redact.Engine
	dryRun  bool
	session string
	numbers map[string][]byte // placeholders that the frames of each stream contain already
	settled time.Time         // batches of settled usage that begin later have no secrets
	until   time.Time         // when the files of JetStream are gone
	result  Redacted
}

// search finds the secrets to mask, and whether frames must be written, including frames that an
// interrupted run has left.
func (r *run) search(ctx context.Context, streams []stream) error {
	m := r.masks
	m.session, m.numbers = r.session, map[string][]byte{}
	for i := range streams {
		s := &streams[i]
		if err := m.searchNumbers(ctx, r, s); err != nil {
			return err
		}
		masker := m.masker(s)
		masker.Report(func(f *schema.Frame, found redact.Found) {
			if f.Session != m.session {
				return // a frame of another session is masked when that session is redacted
			}
			m.result.Counts[found.Rule]++
			if len(m.result.Items) < itemLimit {
				m.result.Items = append(m.result.Items, RedactedItem{schema.PositionOf(s.id, f).String(), found})
			}
		})
		m.describe(masker, &schema.StreamState{Source: s.state.Source, Tags: s.state.Tags, EndReason: s.state.EndReason})
		for rule, n := range masker.Counts() {
			m.result.Counts[rule] += n
		}
		windows, discard := r.windows(s), func(*schema.Frame) {}
		for {
			frames, err := windows.read(ctx)
			if err != nil {
				return err
			}
			for i := range frames {
				frames[i].Session = frames[i].session
				masker.Push(&frames[i].Frame, discard)
			}
			if len(frames) == 0 {
				break
			}
		}
		masker.End(discard)
	}
	if m.result.Changed = len(m.result.Counts) > 0; m.result.Changed || m.dryRun {
		return nil
	}
	for i := range streams {
		if at := time.Unix(0, int64(streams[i].generation)); at.After(m.settled) {
			m.settled = at
		}
	}
	left, err := r.leftovers(ctx)
	m.result.Changed = left
	return err
}

// searchNumbers collects the placeholders of a stream. New placeholders continue their numbering.
func (m *masks) searchNumbers(ctx context.Context, r *run, s *stream) error {
	return r.each(ctx, "placeholders", "placeholders",
		r.windows(s).params(map[string]any{"to": s.upTo, "redacted": uint32(schema.FlagRedacted)}),
		func(row func(...any) error) error {
			var list []string
			err := row(&list)
			for _, mask := range list {
				m.numbers[s.id] = append(m.numbers[s.id], mask...)
			}
			return err
		})
}

// masker returns the masker of a stream.
func (m *masks) masker(s *stream) *redact.Masker {
	masker := m.engine.NewMasker()
	masker.SetDialect(s.state.Dialect)
	masker.Resume(m.numbers[s.id])
	return masker
}

// describe masks the fields that describe a stream.
func (m *masks) describe(masker *redact.Masker, state *schema.StreamState) {
	state.Source = masker.Text(state.Source)
	tags := make(map[string]string, len(state.Tags))
	for name, value := range state.Tags {
		tags[name] = masker.Text(value)
	}
	state.Tags = tags
	state.EndReason = masker.Text(state.EndReason)
}

// leftovers reports whether there are rows that a killed run did not replace or delete, or that
// were inserted again.
func (r *run) leftovers(ctx context.Context) (left bool, err error) {
	err = r.each(ctx, "superseded frames", "leftovers", nil, func(row func(...any) error) error { return row(&left) })
	return left, err
}

// of returns the masking of a stream's frames, nil if nothing is masked.
func (m *masks) of(s *stream) *masking {
	if m == nil {
		return nil
	}
	masker := m.masker(s)
	m.describe(masker, &s.state)
	return &masking{masker: masker}
}

// masking masks the frames of a stream before the decoder.
type masking struct {
	masker *redact.Masker
	passed []stored
}

// take processes the next frames, none at the end, and returns the frames that can be decoded. Both
// lists are valid until the next call.
func (m *masking) take(frames []stored) []stored {
	if m == nil {
		return frames
	}
	m.passed = m.passed[:0]
	for i := range frames {
		frames[i].Session = frames[i].session // a frame that is held back keeps its envelope
		m.masker.Push(&frames[i].Frame, m.pass)
	}
	if len(frames) == 0 {
		m.masker.End(m.pass)
	}
	return m.passed
}

func (m *masking) pass(f *schema.Frame) {
	s := stored{f.Session, *f}
	s.Envelope = schema.Envelope{}
	m.passed = append(m.passed, s)
}
