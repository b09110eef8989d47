package assert

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"tapedeck/internal/apiclient"
	"tapedeck/internal/app/command/play"
	"tapedeck/internal/app/command/tapecopy"
	"tapedeck/internal/app/tapefacts"
	"tapedeck/internal/commandline"
	"tapedeck/query"
	"tapedeck/query/compare"
	"tapedeck/query/facts/sessionhead"
	"tapedeck/query/facts/spanmerge"
	"tapedeck/query/facts/usagerecord"
	"tapedeck/query/pricing/prices"
	"tapedeck/query/session/sessiondetail"
	"tapedeck/query/session/timeline"
	"tapedeck/replay"
	"tapedeck/schema"
)

// Source finds recordings.
type Source struct {
	Server func() (*apiclient.Client, error)
	Prices *prices.Effective // of the sessions of tape files; the server's apply to its own
	Tenant string            // whose prices apply
}

// recording is a session that has ended, with its facts.
type recording struct {
	compare.Recorded
	name    string // as it was named
	id      string
	head    *sessionhead.Summary
	silence silence
	spans   map[string]*spanmerge.Span
}

// silence is the longest time between two frames.
type silence struct {
	length time.Duration
	after  schema.Position // of the frame before it
}

// open reads a session of a tape file, which session selects, or a session of the server.
func (s *Source) open(ctx context.Context, name, session string) (*recording, error) {
	onServer := !play.IsTape(name)
	if onServer && session != "" {
		return nil, commandline.Errorf("--session goes with a tape file, and %q is none", name)
	}
	if onServer {
		if err := s.ended(ctx, name); err != nil {
			return nil, err
		}
	}
	f, done, err := tapecopy.Open(ctx, name, s.Server)
	if err != nil {
		return nil, err
	}
	defer done()
	if err := f.Break(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	id, err := play.OneSession(f, name, session)
	if err != nil {
		return nil, err
	}
	t, err := f.Tape(ctx, "", id)
	if errors.Is(err, replay.ErrNoSession) {
		return nil, fmt.Errorf("%s holds no frame of session %q", name, id)
	}
	if err != nil {
		return nil, err
	}
	r := &recording{name: name, id: id}
	if err := r.read(ctx, t, s); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if !onServer && r.head.Status == sessionhead.Lost {
		return nil, fmt.Errorf("%s: session %q has no end: it was running when the tape was written, or its recorder was lost", name, id)
	}
	if onServer {
		r.Usage, err = s.usage(ctx, id)
	}
	return r, err
}

// ended returns an error if a session of the server is not over.
func (s *Source) ended(ctx context.Context, session string) error {
	server, err := s.Server()
	if err != nil {
		return err
	}
	var detail sessiondetail.Detail
	if err := server.Get(ctx, apiclient.SessionPath(session), nil, &detail); err != nil {
		return err
	}
	if detail.Status.Open() {
		return fmt.Errorf("session %q has not ended (status %s): check it when it has", session, detail.Status)
	}
	return nil
}

// usage returns the usage of a session of the server, at the server's prices, in order of time.
func (s *Source) usage(ctx context.Context, session string) ([]usagerecord.Record, error) {
	server, err := s.Server()
	if err != nil {
		return nil, err
	}
	var tl timeline.Timeline
	if err := server.Get(ctx, apiclient.SessionPath(session, "timeline"), nil, &tl); err != nil {
		return nil, err
	}
	records := tl.Usage
	var add func(spans []*timeline.Span)
	add = func(spans []*timeline.Span) {
		for _, sp := range spans {
			records = append(records, sp.Usage...)
			add(sp.Children)
		}
	}
	add(tl.Spans)
	records = slices.DeleteFunc(records, func(u usagerecord.Record) bool { return u.Duplicate })
	slices.SortStableFunc(records, func(a, b usagerecord.Record) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID))
	})
	return records, nil
}

func (r *recording) read(ctx context.Context, t replay.Tape, s *Source) error {
	if err := r.readFrames(ctx, t); err != nil {
		return err
	}
	f, err := tapefacts.Read(ctx, t, r.id, s.Prices, s.Tenant)
	if err != nil {
		return err
	}
	r.Streams, r.Spans, r.Messages, r.Usage = f.Row, f.Spans, f.Messages, f.Usage
	// The status of what is lost does not depend on the time of the check.
	r.head = sessionhead.Summarize(r.Streams, query.DefaultQuietAfter, sessionhead.CountSpans(r.Spans), math.MaxInt64)
	r.spans = make(map[string]*spanmerge.Span, len(r.Spans))
	for i := range r.Spans {
		r.spans[r.Spans[i].ID] = &r.Spans[i]
	}
	return nil
}

// readFrames finds the longest silence, and the requests.
func (r *recording) readFrames(ctx context.Context, t replay.Tape) error {
	frames, err := t.Read(ctx, replay.Query{})
	if err != nil {
		return err
	}
	defer frames.Close()
	var before schema.Position
	for {
		list, err := frames.Next(ctx)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		for i := range list {
			f := &list[i]
			if gap := time.Duration(f.At - before.At); !before.IsZero() && (r.silence.after.IsZero() || gap > r.silence.length) {
				r.silence = silence{gap, before}
			}
			before = f.Position()
			if f.Type == "request" && len(r.Requests) < compare.MostRequests {
				r.Requests = append(r.Requests, compare.Request{Stream: f.Stream.StreamID, Seq: f.Seq, Raw: slices.Clone(f.Raw)})
			}
		}
	}
}

// factless reports whether no facts were derived from the frames.
func (r *recording) factless() bool { return len(r.Spans)+len(r.Messages)+len(r.Usage) == 0 }

// moment returns the moment of a time, ns, and of a span, "" for none.
func (r *recording) moment(at int64, position schema.Position, span string) *Moment {
	m := &Moment{OffsetMS: query.Millis(at - r.Streams.Started)}
	if !position.IsZero() {
		m.Position = position.String()
	}
	if sp := r.spans[span]; sp != nil {
		m.Span = &sessionhead.SpanRef{ID: sp.ID, Kind: sp.Kind, Name: sp.Name}
		m.Position = cmp.Or(m.Position, sp.Position())
	}
	return m
}

// spanMoment returns the moment at which a span began.
func (r *recording) spanMoment(sp *spanmerge.Span) *Moment {
	return r.moment(sp.Begin(), sp.Seen(), sp.ID)
}

// ofKind returns the spans of a kind, in order.
func (r *recording) ofKind(kind schema.SpanKind) (list []*spanmerge.Span) {
	for i := range r.Spans {
		if r.Spans[i].Kind == string(kind) {
			list = append(list, &r.Spans[i])
		}
	}
	return list
}
