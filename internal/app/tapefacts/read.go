// Package tapefacts reads the facts of a session on a tape in the form in which a server reads them from
// its database.
package tapefacts

import (
	"context"

	"tapedeck/query/facts/messagemerge"
	"tapedeck/query/facts/sessionstreams"
	"tapedeck/query/facts/spanmerge"
	"tapedeck/query/facts/usagerecord"
	"tapedeck/query/pricing/cost"
	"tapedeck/query/pricing/prices"
	"tapedeck/replay"
	"tapedeck/schema"
)

// Session is a session with its facts.
type Session struct {
	Row      *sessionstreams.Row
	Streams  []sessionstreams.Stream
	Spans    []spanmerge.Span
	Messages []messagemerge.Message
	Usage    []usagerecord.Record
}

// all selects all facts of a session.
var all = replay.FactQuery{
	Spans: []schema.SpanKind{schema.SpanRun, schema.SpanNode, schema.SpanLLM, schema.SpanTool},
	Messages: []schema.MessageKind{
		schema.MessageSystem, schema.MessageUser, schema.MessageAssistant, schema.MessageThinking,
		schema.MessageArguments, schema.MessageOutput, schema.MessageResult, schema.MessageReply, schema.MessageError,
	},
	Usages: true,
}

// Read reads the facts of a tape, with costs at the prices of a tenant.
func Read(ctx context.Context, t replay.Tape, id string, table *prices.Effective, tenant string) (*Session, error) {
	return read(ctx, t, all, id, table, tenant)
}

// ReadAtMost is Read for a session in a database. Its facts take at most maxBytes of memory, approximately;
// otherwise the error is replay.ErrManyFacts. It reads messages only if content is set.
func ReadAtMost(ctx context.Context, t replay.Tape, maxBytes int, content bool, id string, table *prices.Effective, tenant string) (*Session, error) {
	q := all
	if q.MaxBytes = maxBytes; !content {
		q.Messages = nil
	}
	return read(ctx, t, q, id, table, tenant)
}

func read(ctx context.Context, t replay.Tape, q replay.FactQuery, id string, table *prices.Effective, tenant string) (*Session, error) {
	facts, err := t.Facts(ctx, q)
	if err != nil {
		return nil, err
	}
	s := &Session{}
	s.Row, s.Streams = sessionstreams.OfStates(id, t.Streams())
	s.Spans, s.Messages = spanmerge.OfFacts(s.Row, facts), messagemerge.OfFacts(facts)
	pricer := &cost.Pricer{Table: table, Tenant: tenant, Split: cost.SplitOf(table)}
	s.Usage, err = usagerecord.OfFacts(pricer, s.Streams, facts)
	return s, err
}
