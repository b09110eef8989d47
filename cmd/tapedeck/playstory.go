package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"net/url"
	"os"
	"time"

	"tapedeck/internal/apiclient"
	"tapedeck/query"
	"tapedeck/replay/tapefile"
	"tapedeck/replay/terminal"
	"tapedeck/schema"
	"tapedeck/schema/block"
)

// storyEvery is how often what is known of a running session is asked for, unless
// that takes long.
const storyEvery = time.Second

// tellStory finds out what happened in a session, and of one that is followed what
// has happened meanwhile, until ctx ends.
func tellStory(ctx context.Context, to chan<- terminal.Told, from *player, name string, follow bool) {
	for {
		began := time.Now()
		var facts terminal.Facts
		var err error
		if from.file != nil {
			facts, err = factsOfFile(ctx, name, from.session)
		} else {
			facts, err = factsOfServer(ctx, from.client, from.session)
		}
		told := terminal.Told{Err: err}
		if err == nil {
			told.Story = terminal.NewStory(facts)
		}
		select {
		case to <- told:
		case <-ctx.Done():
			return
		}
		if !follow || from.file != nil {
			return
		}
		select {
		case <-time.After(max(storyEvery, 4*time.Since(began))):
		case <-ctx.Done():
			return
		}
	}
}

// factsOfFile reads the facts on a tape. A file that was cut has none: they come last.
func factsOfFile(ctx context.Context, name, session string) (facts terminal.Facts, err error) {
	file, err := os.Open(name)
	if err != nil {
		return facts, err
	}
	defer file.Close()
	facts.Start = math.MaxInt64
	for records := tapefile.NewScanner(file); ctx.Err() == nil; {
		rec, err := records.Next()
		if err == io.EOF {
			return facts, nil
		}
		if err != nil {
			return facts, fmt.Errorf("what happened cannot be read: %w", err)
		}
		if rec.Session != session || rec.Kind != tapefile.KindFacts && rec.Kind != tapefile.KindStreams {
			continue
		}
		err = rec.Blocks(true, func(b *block.Block) error {
			if rec.Kind == tapefile.KindStreams {
				facts.Start = min(facts.Start, b.State.FirstAt)
			}
			facts.Spans = append(facts.Spans, b.Facts.Spans...)
			facts.Messages = append(facts.Messages, b.Facts.Messages...)
			facts.Usages = append(facts.Usages, b.Facts.Usages...)
			return nil
		})
		if err != nil {
			return facts, err
		}
	}
	return facts, ctx.Err()
}

// factsOfServer asks a server for what it knows of a session.
func factsOfServer(ctx context.Context, c *apiclient.Client, session string) (facts terminal.Facts, err error) {
	var timeline query.Timeline
	if err := c.Get(ctx, apiclient.SessionPath(session, "timeline"), nil, &timeline); err != nil {
		return facts, err
	}
	facts.Start = timeline.Started.UnixNano()
	addSpans(&facts, timeline.Spans)
	addUsages(&facts, timeline.Usage)
	q := url.Values{"chunks": {"1"}}
	for {
		var page query.Page[query.Message]
		if err := c.Get(ctx, apiclient.SessionPath(session, "transcript"), q, &page); err != nil {
			return facts, err
		}
		for i := range page.Items {
			facts.Messages = append(facts.Messages, messageFact(&page.Items[i], facts.Start))
		}
		if page.Next == nil {
			return facts, nil
		}
		q.Set("cursor", *page.Next)
	}
}

// addSpans adds spans and what they hold.
func addSpans(facts *terminal.Facts, spans []*query.TimelineSpan) {
	for _, s := range spans {
		span := schema.Span{
			Fact: schema.Fact{ID: s.ID, Run: s.RunID, Node: s.NodeID, Agent: s.Agent},
			Kind: schema.SpanKind(s.Kind), Parent: s.Parent, Name: s.Name, Status: schema.Status(s.Status),
			Started: s.Started.UnixNano(),
		}
		if s.Ended != nil {
			span.Ended = s.Ended.UnixNano()
		}
		if s.FirstTokenMS != nil {
			span.FirstToken = span.Started + nanos(*s.FirstTokenMS)
		}
		if s.Model != nil {
			span.Model = *s.Model
		}
		if s.Error != nil {
			span.Error = *s.Error
		}
		facts.Spans = append(facts.Spans, span)
		addUsages(facts, s.Usage)
		addSpans(facts, s.Children)
	}
}

// addUsages adds records, of which each says what it adds.
func addUsages(facts *terminal.Facts, records []query.UsageRecord) {
	for _, u := range records {
		n := u.Tokens
		facts.Usages = append(facts.Usages, schema.Usage{
			// A running total is told by several records of one id.
			Fact: schema.Fact{ID: fmt.Sprintf("%d of %s", len(facts.Usages), u.ID)}, Mode: schema.UsageAdd, At: u.At.UnixNano(),
			Tokens: schema.Tokens{
				Input: uint64(n.Input), CacheRead: uint64(n.CacheRead), CacheWrite5m: uint64(n.CacheWrite5m),
				CacheWrite1h: uint64(n.CacheWrite1h), Output: uint64(n.Output), Reasoning: uint64(n.Reasoning),
			},
		})
	}
}

func messageFact(m *query.Message, start int64) schema.Message {
	fact := schema.Message{
		Fact: schema.Fact{ID: m.ID, Run: m.RunID, Node: m.NodeID, Agent: m.Agent},
		Kind: schema.MessageKind(m.Kind), Span: m.SpanID, Name: m.Name, Text: m.Text, Media: m.Media,
		Complete: m.Complete, Started: m.Started.UnixNano(),
	}
	if m.Chunks != nil {
		for _, ms := range m.Chunks.OffsetMS {
			fact.ChunkAt = append(fact.ChunkAt, start+nanos(ms))
		}
		fact.ChunkEnd = m.Chunks.End
	}
	return fact
}

func nanos(ms float64) int64 { return int64(math.Round(ms * 1e6)) }
