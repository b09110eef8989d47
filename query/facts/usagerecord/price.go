package usagerecord

import (
	"strings"

	"tapedeck/query"
	"tapedeck/query/facts/sessionstreams"
	"tapedeck/query/pricing/cost"
	"tapedeck/schema"
)

// Prices prices the records of a session. The streams may be added in any order.
type Prices struct {
	Pricer  *cost.Pricer
	Streams []sessionstreams.Stream
}

// Price sets the costs of records.
func (p *Prices) Price(records []Record) {
	for i := range records {
		r := &records[i]
		row := cost.TotalsRow{Cell: cost.Cell{Key: cost.Key{At: r.At.UnixNano(),
			Rest: strings.HasPrefix(r.Scope, schema.RestScope)}}}
		row.Model, row.Provider = query.Text(r.Model), query.Text(r.Provider)
		t := &r.Tokens
		row.ServiceTier, row.Speed, row.Region = query.Text(r.ServiceTier), query.Text(r.Speed), query.Text(r.Region)
		row.Quantities = cost.Quantities{
			Input: t.Input, CacheRead: t.CacheRead, CacheWrite5m: t.CacheWrite5m, CacheWrite1h: t.CacheWrite1h,
			Output: t.Output, Reasoning: t.Reasoning, Parts: r.parts,
		}
		if !row.Rest {
			row.Calls = 1
		}
		if r.Discrepancy {
			row.Mismatches = 1
		}
		row.InputTokens = row.Prompt()
		row.Valid = row.Possible()
		for _, tag := range p.Pricer.Split.Tags {
			row.Tags = append(row.Tags, p.tag(r.stream, tag))
		}
		r.spent = row.Totals(p.Pricer)
		r.Cost, r.Unpriced, r.Shares = r.spent.Cost, nil, nil
		if r.Cost != nil {
			r.Shares = p.Pricer.Shares(&row.Cell)
		}
		if len(r.spent.Unpriced) > 0 {
			r.Unpriced = &r.spent.Unpriced[0].Reason
		}
	}
}

// tag returns the value of a tag for usage that a stream reported: the stream's value, else the
// value of the first stream that has the tag.
func (p *Prices) tag(stream, name string) string {
	var first *sessionstreams.Stream
	for i := range p.Streams {
		s := &p.Streams[i]
		if s.Tags[name] == "" {
			continue
		}
		if s.ID == stream {
			return s.Tags[name]
		}
		if first == nil || s.FirstAt.Before(first.FirstAt) || s.FirstAt.Equal(first.FirstAt) && s.ID < first.ID {
			first = s
		}
	}
	if first == nil {
		return ""
	}
	return first.Tags[name]
}
