package clickhouse

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/ch-go/proto"

	"tapedeck/replay"
	"tapedeck/replay/clickhouse/factsql"
	"tapedeck/schema"
	"tapedeck/schema/block"
)

// Facts implements replay.Tape.
func (t *tape) Facts(ctx context.Context, q replay.FactQuery) (replay.Facts, error) {
	set, left := replay.NewFactSet(q), cmp.Or(q.MaxBytes, math.MaxInt)
	for _, part := range []struct {
		table string
		kinds []string
		read  bool
		rows  factRows
	}{
		{factsql.Spans, texts(q.Spans), len(q.Spans) > 0, newSpanRows()},
		{factsql.Messages, texts(q.Messages), len(q.Messages) > 0, newMessageRows()},
		{factsql.Usage, nil, q.Usages, newUsageRows()},
	} {
		if !part.read {
			continue
		}
		if err := t.readFacts(ctx, part.table, part.kinds, part.rows, set, &left); err != nil {
			return nil, fmt.Errorf("read the %s of session %q: %w", part.table, t.session, err)
		}
	}
	return set.Facts(), nil
}

// factSize is the approximate memory of a fact without its texts, bytes.
const factSize = 400

// readFacts adds the facts of one table. It subtracts their memory from left, bytes, and fails when
// that is used up.
func (t *tape) readFacts(ctx context.Context, table string, kinds []string, rows factRows, set *replay.FactSet, left *int) error {
	var p parameters
	p.text("tenant", t.tenant)
	p.text("session", t.session)
	p.text("first", strconv.FormatInt(replay.FirstAt(t), 10))
	p.text("last", strconv.FormatInt(replay.LastAt(t), 10))
	if kinds != nil {
		p.texts("kinds", kinds)
	}
	if err := t.store.enter(ctx); err != nil {
		return err
	}
	defer t.store.leave()
	var read []streamFacts
	before := *left
	err := t.store.do(ctx, ch.Query{
		Body: factsql.OfKinds(table), Parameters: p, Settings: oneThread, Result: rows.results(),
		OnResult: func(_ context.Context, b proto.Block) error {
			if *left -= b.Rows*factSize + textBytes(rows.results()); *left < 0 {
				return errEnough
			}
			read = rows.append(read)
			return nil
		},
	}, func() { read, *left = nil, before })
	if errors.Is(err, errEnough) {
		return replay.ErrManyFacts
	}
	for i := range read {
		set.Add(read[i].stream, &read[i].facts)
	}
	return err
}

// textBytes returns the size of the texts in a block of rows.
func textBytes(columns proto.Results) (bytes int) {
	for _, c := range columns {
		if text, ok := c.Data.(*proto.ColStr); ok {
			bytes += len(text.Buf)
		}
	}
	return bytes
}

// streamFacts are facts of one stream.
type streamFacts struct {
	stream string
	facts  block.Facts
}

// factsOf returns the facts of a stream to which rows are appended: the last ones of the list, or
// new ones.
func factsOf(list []streamFacts, stream string) ([]streamFacts, *block.Facts) {
	if n := len(list); n == 0 || list[n-1].stream != stream {
		list = append(list, streamFacts{stream: stream})
	}
	return list, &list[len(list)-1].facts
}

func texts[T ~string](kinds []T) []string {
	list := make([]string, len(kinds))
	for i, k := range kinds {
		list[i] = string(k)
	}
	return list
}

func (r *spanRows) append(list []streamFacts) []streamFacts {
	for i := range r.version.Rows() {
		var f *block.Facts
		list, f = factsOf(list, r.stream.Row(i))
		f.Spans = append(f.Spans, schema.Span{
			Fact: r.fact(i), Kind: schema.SpanKind(r.kind.Row(i)), Parent: r.parent.Row(i), Name: r.name.Row(i),
			Status: schema.Status(r.status.Row(i)), Started: r.started.Row(i), Ended: r.ended.Row(i),
			FirstToken: r.firstToken.Row(i), Duration: r.duration.Row(i), CallID: r.call.Row(i), Model: r.model.Row(i),
			Provider: r.provider.Row(i), Error: r.why.Row(i), Attributes: r.attributes.Row(i),
		})
	}
	return list
}

func (r *messageRows) append(list []streamFacts) []streamFacts {
	for i := range r.version.Rows() {
		var f *block.Facts
		list, f = factsOf(list, r.stream.Row(i))
		f.Messages = append(f.Messages, schema.Message{
			Fact: r.fact(i), Kind: schema.MessageKind(r.kind.Row(i)), Span: r.span.Row(i), Name: r.name.Row(i),
			Text: r.text.Row(i), Media: r.media.Row(i), Complete: r.complete.Row(i), Started: r.started.Row(i),
			Ended: r.ended.Row(i), ChunkAt: r.chunkAt.Row(i),
			ChunkEnd: r.chunkEnd.Row(i), Attributes: r.attributes.Row(i),
		})
	}
	return list
}

func (r *usageRows) append(list []streamFacts) []streamFacts {
	for i := range r.version.Rows() {
		var f *block.Facts
		list, f = factsOf(list, r.stream.Row(i))
		n := func(at int) uint64 { return r.counts[at].Row(i) }
		f.Usages = append(f.Usages, schema.Usage{
			Fact: r.fact(i), Scope: r.scope.Row(i), Mode: schema.UsageMode(r.mode.Row(i)),
			At: r.at.Row(i), Span: r.span.Row(i),
			Model: r.model.Row(i), Provider: r.provider.Row(i), Total: n(6), Raw: r.raw.Row(i),
			Tokens: schema.Tokens{Input: n(0), CacheRead: n(1), CacheWrite5m: n(2), CacheWrite1h: n(3), Output: n(4),
				Reasoning: n(5)},
			Billing: r.billing(i),
		})
	}
	return list
}

func (r *usageRows) billing(i int) (b schema.Billing) {
	for at, text := range b.Texts() {
		*text = r.billingTexts[at].Row(i)
	}
	for at, n := range b.Counts() {
		*n = r.billingCounts[at].Row(i)
	}
	return b
}
