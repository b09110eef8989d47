package clickhouse

import (
	"github.com/ClickHouse/ch-go/proto"

	"tapedeck/schema"
)

// factRows receives a block of the statement for one table of facts, and appends its rows to a
// list.
type factRows interface {
	results() proto.Results
	append([]streamFacts) []streamFacts
}

type (
	word = proto.ColLowCardinality[string]

	// commonRows are the columns that all facts have.
	commonRows struct {
		list             proto.Results
		stream           *proto.ColStr
		id, run, node    *proto.ColStr
		agent            *word
		firstSeq         *proto.ColUInt64
		seenAt           *proto.ColInt64
		seenSeq, version *proto.ColUInt64
	}
	spanRows struct {
		commonRows
		kind, name, status, model, provider  *word
		parent, call, why, attributes        *proto.ColStr
		started, ended, firstToken, duration *proto.ColInt64
	}
	messageRows struct {
		commonRows
		kind, name, media      *word
		span, text, attributes *proto.ColStr
		complete               *proto.ColBool
		started, ended         *proto.ColInt64
		chunkAt                *proto.ColArr[int64]
		chunkEnd               *proto.ColArr[uint32]
	}
	usageRows struct {
		commonRows
		mode, model, provider *word
		scope, span, raw      *proto.ColStr
		at                    *proto.ColInt64
		counts                [7]*proto.ColUInt64 // the fields of Tokens in order, then Total
		billingTexts          [len(schema.BillingTexts)]interface{ Row(int) string }
		billingCounts         [len(schema.BillingCounts)]*proto.ColUInt64
	}
)

// next appends a column, which follows the previous ones in the result of the statement.
func next[T proto.ColResult](c *commonRows, column T) T {
	c.list = append(c.list, proto.ResultColumn{Data: column})
	return column
}

func (c *commonRows) string() *proto.ColStr  { return next(c, new(proto.ColStr)) }
func (c *commonRows) word() *word            { return next(c, new(proto.ColStr).LowCardinality()) }
func (c *commonRows) int() *proto.ColInt64   { return next(c, new(proto.ColInt64)) }
func (c *commonRows) uint() *proto.ColUInt64 { return next(c, new(proto.ColUInt64)) }

func (c *commonRows) results() proto.Results { return c.list }

// The columns are in the order of sql/facts.sql and of the tables' statements.

func (c *commonRows) begin() {
	c.stream, c.firstSeq = c.string(), c.uint()
	c.id, c.run, c.node, c.agent = c.string(), c.string(), c.string(), c.word()
	c.seenAt, c.seenSeq, c.version = c.int(), c.uint(), c.uint()
}

func (c *commonRows) fact(i int) schema.Fact {
	return schema.Fact{
		ID: c.id.Row(i), Run: c.run.Row(i), Node: c.node.Row(i), Agent: c.agent.Row(i),
		SeenAt: c.seenAt.Row(i), SeenSeq: c.seenSeq.Row(i), Version: c.version.Row(i),
	}
}

func newSpanRows() *spanRows {
	c := &spanRows{}
	c.begin()
	c.kind, c.parent, c.name, c.status = c.word(), c.string(), c.word(), c.word()
	c.started, c.ended, c.firstToken, c.duration = c.int(), c.int(), c.int(), c.int()
	c.call, c.model, c.provider = c.string(), c.word(), c.word()
	c.why, c.attributes = c.string(), c.string()
	return c
}

func newMessageRows() *messageRows {
	c := &messageRows{}
	c.begin()
	c.kind, c.span, c.name, c.text, c.media = c.word(), c.string(), c.word(), c.string(), c.word()
	c.complete = next(&c.commonRows, new(proto.ColBool))
	c.started, c.ended = c.int(), c.int()
	c.chunkAt = next(&c.commonRows, new(proto.ColInt64).Array())
	c.chunkEnd = next(&c.commonRows, new(proto.ColUInt32).Array())
	c.attributes = c.string()
	return c
}

func newUsageRows() *usageRows {
	c := &usageRows{}
	c.begin()
	c.scope, c.mode, c.at, c.span = c.string(), c.word(), c.int(), c.string()
	c.model, c.provider = c.word(), c.word()
	for i := range c.counts {
		c.counts[i] = c.uint()
	}
	c.raw = c.string()
	for i, name := range schema.BillingTexts {
		if schema.IsPlainText(name) {
			c.billingTexts[i] = c.string()
		} else {
			c.billingTexts[i] = c.word()
		}
	}
	for i := range c.billingCounts {
		c.billingCounts[i] = c.uint()
	}
	return c
}
