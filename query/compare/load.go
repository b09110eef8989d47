package compare

import (
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"tapedeck/query"
	"tapedeck/query/facts/sessionstreams"
	"tapedeck/query/facts/spanmerge"
	"tapedeck/query/facts/usagerecord"
)

var statements = query.Statements("compare")

// Bounds of the facts that are read per session.
const (
	messagesOfStep = 4        // messages read per step
	textBytes      = 64 << 10 // of one text
	leastBytes     = 1 << 10  // of one text, whatever the number of texts
	sessionBytes   = 16 << 20 // of all texts together
	requestsMost   = 500      // recorded requests that are read
)

// facts holds the spans, messages, usage and requests of a session.
type facts struct {
	streams  *sessionstreams.Row
	spans    []spanmerge.Span
	usage    usagerecord.Spending
	index    []indexRow
	messages []messageRow
	requests []requestRow
	cut      bool // the session has more facts than were read
}

type indexRow struct {
	ID      string `ch:"message_id"`
	Size    uint64 `ch:"size"`
	Seen    int64  `ch:"seen_ns"`
	Started int64  `ch:"started_ns"`
}

type messageRow struct {
	ID      string `ch:"message_id"`
	Stream  string `ch:"stream_id"`
	SeenSeq uint64 `ch:"seen_seq"`
	Seen    int64  `ch:"seen_ns"`
	Kind    string `ch:"message_kind"`
	Span    string `ch:"of_span"`
	Name    string `ch:"tool"`
	Node    string `ch:"of_node"`
	Run     string `ch:"of_run"`
	Agent   string `ch:"of_agent"`
	Media   string `ch:"text_media"`
	Head    string `ch:"head"`
	Size    uint64 `ch:"size"`
	Digest  string `ch:"digest"`
	Started int64  `ch:"started_ns"`
	Ended   int64  `ch:"ended_ns"`
}

// requestRow holds the members and the tool definitions of a recorded request.
type requestRow struct {
	Stream      string   `ch:"stream_id"`
	Seq         uint64   `ch:"seq"`
	Names       []string `ch:"names"`
	Plain       []string `ch:"plain"`
	Digests     []string `ch:"digests"`
	ToolNames   []string `ch:"tool_names"`
	ToolDigests []string `ch:"tool_digests"`
}

// load reads the facts of two sessions, which may be the same session. It first reads the facts
// that do not depend on the time of the sessions, in parallel with the streams, and then the rest
// in parallel.
func load(ctx context.Context, r *query.Reader, q *Query) (a, b *facts, err error) {
	a, b = &facts{}, &facts{}
	both := []*facts{a, b}
	if q.A == q.B {
		both = both[:1]
	}
	ids := []string{q.A, q.B}[:len(both)]
	group, within := errgroup.WithContext(ctx)
	for i, f := range both {
		group.Go(func() (err error) {
			f.requests, err = query.Ask[requestRow](within, r, statements, "requests", nil,
				query.Args{"tenant": q.Tenant, "session": ids[i], "limit": requestsMost})
			return err
		})
	}
	group.Go(func() error {
		streams, err := sessionstreams.FindAll(within, r, q.Tenant, ids...)
		if err != nil {
			return err
		}
		for i, f := range both {
			f.streams = streams[i]
		}
		for _, f := range both {
			group.Go(func() (err error) {
				f.spans, err = spanmerge.First(within, r, q.Tenant, f.streams, q.Steps+1)
				return err
			})
		}
		group.Go(func() error { return loadMessages(within, r, q, both) })
		return loadUsage(within, r, q, both)
	})
	if err := group.Wait(); err != nil {
		return nil, nil, err
	}
	for _, f := range both {
		f.untilBoth(len(f.spans) > q.Steps)
	}
	if q.A == q.B {
		*b = *a
	}
	return a, b, nil
}

// near bounds the time from the start of the earlier session to the end of the later one within
// which the usage of both is read with one statement. The statement also reads the days between the
// sessions.
const near = int64(7 * 24 * time.Hour)

func loadUsage(ctx context.Context, r *query.Reader, q *Query, list []*facts) error {
	if len(list) == 2 &&
		max(list[0].streams.Last, list[1].streams.Last)-min(list[0].streams.Started, list[1].streams.Started) < near {
		usage, err := usagerecord.SpendingOf(ctx, r, q.Tenant, list[0].streams, list[1].streams)
		if err == nil {
			list[0].usage, list[1].usage = usage[0], usage[1]
		}
		return err
	}
	group, within := errgroup.WithContext(ctx)
	for _, f := range list {
		group.Go(func() error {
			usage, err := usagerecord.SpendingOf(within, r, q.Tenant, f.streams)
			if err == nil {
				f.usage = usage[0]
			}
			return err
		})
	}
	return group.Wait()
}

// loadMessages reads the messages of both sessions. Texts of both are cut at the same length, so
// that cut texts are comparable. Texts of small sessions are not cut.
func loadMessages(ctx context.Context, r *query.Reader, q *Query, list []*facts) error {
	small := true
	for _, f := range list {
		small = small && f.streams.Bytes <= sessionBytes && f.streams.Frames <= uint64(q.Steps)
	}
	most := uint64(textBytes)
	if !small {
		group, within := errgroup.WithContext(ctx)
		for _, f := range list {
			group.Go(func() (err error) {
				f.index, err = query.Ask[indexRow](within, r, statements, "messages_index", f.streams,
					f.parameters(q).With("limit", q.Steps*messagesOfStep+1))
				return err
			})
		}
		if err := group.Wait(); err != nil {
			return err
		}
		indexes := make([][]indexRow, len(list))
		for i, f := range list {
			indexes[i] = f.index
		}
		most = textCap(indexes...)
	}
	group, within := errgroup.WithContext(ctx)
	for _, f := range list {
		group.Go(func() error { return f.readMessages(within, r, q, most) })
	}
	return group.Wait()
}

func (f *facts) parameters(q *Query) query.Args {
	return sessionstreams.Parameters(q.Tenant, f.streams)
}

// textCap returns the length in bytes to which each text is cut, so that all texts together are at
// most sessionBytes.
func textCap(lists ...[]indexRow) uint64 {
	for most := uint64(textBytes); ; most /= 2 {
		fits := true
		for _, list := range lists {
			sum := uint64(0)
			for i := range list {
				sum += min(list[i].Size, most)
			}
			fits = fits && sum <= sessionBytes
		}
		if fits || most <= leastBytes {
			return most
		}
	}
}

func (f *facts) readMessages(ctx context.Context, r *query.Reader, q *Query, most uint64) error {
	limit := q.Steps * messagesOfStep
	shape := struct{ Until, Original bool }{Original: f.streams.Original}
	args := f.parameters(q).With("cap", most).With("limit", limit)
	if len(f.index) > limit {
		f.cut, f.index = true, f.index[:limit]
		shape.Until = true
		until := int64(0)
		for i := range f.index {
			until = max(until, f.index[i].Seen)
		}
		args = args.With("until", until)
	}
	var err error
	if f.messages, err = query.Ask[messageRow](ctx, r, statements, "messages", shape, args); err != nil {
		return err
	}
	for i := range f.messages {
		if m := &f.messages[i]; m.Digest != "" {
			m.Head = strings.ToValidUTF8(m.Head, "") // the cut may be within a character
		}
	}
	return nil
}

// untilBoth drops the facts after the end of a list that was cut, since the other lists extend
// further.
func (f *facts) untilBoth(spansCut bool) {
	end := int64(math.MaxInt64)
	if f.cut && len(f.messages) > 0 {
		end = f.messages[len(f.messages)-1].Started
	}
	if spansCut && len(f.spans) > 0 {
		f.cut = true
		end = min(end, f.spans[len(f.spans)-1].Begin())
	}
	f.messages = slices.DeleteFunc(f.messages, func(m messageRow) bool { return m.Started > end })
	f.spans = slices.DeleteFunc(f.spans, func(s spanmerge.Span) bool { return s.Begin() > end })
}
