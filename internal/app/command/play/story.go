package play

import (
	"context"
	"fmt"
	"io"
	"math"
	"net/url"
	"os"
	"time"

	"tapedeck/internal/apiclient"
	"tapedeck/query/facts/usagerecord"
	"tapedeck/query/session/timeline"
	"tapedeck/query/session/transcript"
	"tapedeck/replay/tapefile"
	"tapedeck/replay/terminal"
	"tapedeck/schema"
	"tapedeck/schema/block"
)

// storyEvery is the minimum interval between requests for the facts of a running session.
const storyEvery = time.Second

// sendStories sends the facts of a session. With follow it sends them repeatedly until ctx ends.
func sendStories(ctx context.Context, to chan<- terminal.StoryUpdate, from *Player, follow bool) {
	for {
		began := time.Now()
		var facts terminal.Facts
		var err error
		if from.file != nil {
			facts, err = factsOfFile(ctx, from.path, from.Session)
		} else {
			facts, err = factsOfServer(ctx, from.Client, from.Session)
		}
		update := terminal.StoryUpdate{Err: err}
		if err == nil {
			update.Story = terminal.NewStory(facts)
		}
		select {
		case to <- update:
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

// factsOfFile reads the facts of a session on a tape. A truncated file has none, since facts are
// its last records.
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
			return facts, fmt.Errorf("read the facts of the tape: %w", err)
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

// factsOfServer reads the facts of a session from a server.
func factsOfServer(ctx context.Context, c *apiclient.Client, session string) (facts terminal.Facts, err error) {
	var tl timeline.Timeline
	if err := c.Get(ctx, apiclient.SessionPath(session, "timeline"), nil, &tl); err != nil {
		return facts, err
	}
	facts.Start = tl.Started.UnixNano()
	addSpans(&facts, tl.Spans)
	addUsages(&facts, tl.Usage)
	messages, err := apiclient.All[transcript.Message](ctx, c, apiclient.SessionPath(session, "transcript"),
		url.Values{"chunks": {"1"}})
	for i := range messages {
		facts.Messages = append(facts.Messages, messageFact(&messages[i], facts.Start))
	}
	return facts, err
}

// addSpans adds spans, their usage and their children.
func addSpans(facts *terminal.Facts, spans []*timeline.Span) {
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

// addUsages adds usage records. The tokens of each record are added to the total.
func addUsages(facts *terminal.Facts, records []usagerecord.Record) {
	for _, u := range records {
		if u.Duplicate {
			continue
		}
		n := u.Tokens
		facts.Usages = append(facts.Usages, schema.Usage{
			// Several records with one id are increments of a running total.
			Fact: schema.Fact{ID: fmt.Sprintf("%d of %s", len(facts.Usages),
				u.ID)}, Mode: schema.UsageAdd, At: u.At.UnixNano(),
			Tokens: schema.Tokens{
				Input: uint64(n.Input), CacheRead: uint64(n.CacheRead), CacheWrite5m: uint64(n.CacheWrite5m),
				CacheWrite1h: uint64(n.CacheWrite1h), Output: uint64(n.Output), Reasoning: uint64(n.Reasoning),
			},
		})
	}
}

func messageFact(m *transcript.Message, start int64) schema.Message {
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
