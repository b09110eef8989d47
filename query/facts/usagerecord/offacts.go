package usagerecord

import (
	"fmt"

	"tapedeck/query/facts/sessionstreams"
	"tapedeck/query/pricing/cost"
	"tapedeck/schema"
	"tapedeck/schema/block"
)

// OfFacts returns the usage records of a session from its facts by stream, as OfSession returns them
// from the database, at the prices of a pricer.
func OfFacts(pricer *cost.Pricer, streams []sessionstreams.Stream, facts map[string]*block.Facts) ([]Record, error) {
	var rows []usageRow
	for stream, of := range facts {
		for i := range of.Usages {
			rows = append(rows, rowOf(stream, &of.Usages[i]))
		}
	}
	rows = countOnce(rows)
	records := make([]Record, len(rows))
	for i := range rows {
		var err error
		if records[i], err = rows[i].record(); err != nil {
			return nil, fmt.Errorf("usage %s: %w", rows[i].ID, err)
		}
	}
	prices := Prices{Pricer: pricer, Streams: streams}
	prices.Price(records)
	return records, nil
}

// rowOf returns the row that sql/usage_of_session.sql returns for a usage.
func rowOf(stream string, u *schema.Usage) usageRow {
	t := &u.Tokens
	row := usageRow{
		ID: u.ID, Stream: stream, Version: u.Version, Span: u.Span, Run: u.Run, Agent: u.Agent,
		Model: u.Model, Provider: u.Provider, Mode: string(u.Mode), Scope: u.Scope, At: u.At,
		Stated: u.Total, Counted: t.Sum(), Raw: u.Raw,
		Input: int64(t.Input), CacheRead: int64(t.CacheRead), CacheWrite5m: int64(t.CacheWrite5m),
		CacheWrite1h: int64(t.CacheWrite1h), Output: int64(t.Output), Reasoning: int64(t.Reasoning),
	}
	b := &u.Billing
	in, cached, out := &b.Parts.Input, &b.Parts.CacheRead, &b.Parts.Output
	row.billingRow = billingRow{
		RequestedModel: b.RequestedModel, ServiceTier: b.ServiceTier, Speed: b.Speed, Region: b.Region,
		StatedCost: b.Cost, RequestID: b.RequestID, MessageID: b.MessageID,
		InputText: int64(in.Text), CacheReadText: int64(cached.Text), OutputText: int64(out.Text),
		WebFetches: int64(b.Tools.WebFetches),
	}
	if b.Cost != "" {
		row.StatedCurrency = b.Currency
	}
	row.Parts = cost.Parts{
		InputAudio: int64(in.Audio), InputImage: int64(in.Image), InputVideo: int64(in.Video),
		CacheReadAudio: int64(cached.Audio), CacheReadImage: int64(cached.Image), CacheReadVideo: int64(cached.Video),
		OutputAudio: int64(out.Audio), OutputImage: int64(out.Image), OutputVideo: int64(out.Video),
		WebSearches: int64(b.Tools.WebSearches), CodeExecutions: int64(b.Tools.CodeExecutions),
	}
	return row
}
