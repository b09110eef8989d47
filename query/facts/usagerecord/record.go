// Package usagerecord reads the usage records of sessions, counts each record once and prices it.
package usagerecord

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"tapedeck/query"
	"tapedeck/query/facts/sessionstreams"
	"tapedeck/query/pricing/cost"
	"tapedeck/query/pricing/prices"
)

var statements = query.Statements("facts/usagerecord")

// Record is one count of tokens, as a source reported it.
type Record struct {
	ID       string    `json:"id"`
	SpanID   string    `json:"span_id"`
	RunID    string    `json:"run_id"`
	Agent    string    `json:"agent"`
	Model    *string   `json:"model"` // null if the source names none
	Provider *string   `json:"provider"`
	Mode     string    `json:"mode"`  // add: the whole count of its scope; running: a total so far
	Scope    string    `json:"scope"` // what is counted
	At       time.Time `json:"at"`
	// Tokens is what the record adds to a sum: for a running total the difference to the
	// previous one.
	Tokens cost.Tokens `json:"tokens"`
	// StatedTotal is the sum that the source states; null if it states none. Discrepancy reports
	// that it differs from the sum of the record's buckets.
	StatedTotal *uint64 `json:"stated_total"`
	Discrepancy bool    `json:"discrepancy"`
	// Duplicate reports that the record is of a span, and that a recorded stream states the same call:
	// sums have the record of the stream and leave out this one.
	Duplicate bool            `json:"duplicate"`
	Raw       json.RawMessage `json:"raw"` // the source's own usage JSON; null if there is none
	// Cost is null if it is unknown, and Unpriced says why. Unpriced is null for a record without
	// tokens that is not a call.
	Cost     *cost.Money    `json:"cost"`
	Unpriced *prices.Reason `json:"unpriced_reason"`
	// Shares are the parts of Cost; null if Cost is null.
	Shares *cost.Shares `json:"cost_shares"`
	Billing

	stream string
	parts  cost.Parts
	spent  cost.UsageTotals
}

type usageRow struct {
	Session      string `ch:"session_id"`
	ID           string `ch:"usage_id"`
	Stream       string `ch:"stream_id"`
	Version      uint64 `ch:"version"`
	Span         string `ch:"span_id"`
	Run          string `ch:"run_id"`
	Agent        string `ch:"agent"`
	Model        string `ch:"model"`
	Provider     string `ch:"provider"`
	Mode         string `ch:"mode"`
	Scope        string `ch:"scope"`
	At           int64  `ch:"at_ns"`
	Stated       uint64 `ch:"stated"`
	Counted      uint64 `ch:"counted"`
	Raw          string `ch:"raw"`
	Duplicate    bool   `ch:"duplicate"`
	Input        int64  `ch:"input"`
	CacheRead    int64  `ch:"cache_read"`
	CacheWrite5m int64  `ch:"cache_write_5m"`
	CacheWrite1h int64  `ch:"cache_write_1h"`
	Output       int64  `ch:"output"`
	Reasoning    int64  `ch:"reasoning"`
	cost.Parts
	billingRow
}

// usageShape selects the optional parts of sql/usage_of_session.sql.
type usageShape struct {
	Original   bool // no session was ever deleted or decoded anew
	WithoutRaw bool
}

// OfSession returns the usage records of a session, in order of time.
func OfSession(ctx context.Context, r *query.Reader, tenant string, s *sessionstreams.Row) ([]Record, error) {
	lists, err := ofSessions(ctx, r, tenant, usageShape{}, s)
	if err != nil {
		return nil, err
	}
	return lists[0], nil
}

// ofSessions returns the usage records of several sessions, read with one statement.
func ofSessions(
	ctx context.Context, r *query.Reader, tenant string, shape usageShape, sessions ...*sessionstreams.Row,
) ([][]Record, error) {
	ids := make([]string, len(sessions))
	first, last := sessions[0].Started, sessions[0].Last
	shape.Original = true
	for i, s := range sessions {
		ids[i], first, last = s.ID, min(first, s.Started), max(last, s.Last)
		shape.Original = shape.Original && s.Original
	}
	rows, err := query.Ask[usageRow](ctx, r, statements, "usage_of_session", shape,
		query.Args{"tenant": tenant, "sessions": ids}.Within(first, last))
	if err != nil {
		return nil, err
	}
	lists := make([][]Record, len(sessions))
	for i := range lists {
		lists[i] = []Record{}
	}
	rows = countOnce(rows)
	for i := range rows {
		rec, err := rows[i].record()
		if err != nil {
			return nil, fmt.Errorf("usage %s: %w", rows[i].ID, err)
		}
		at := slices.Index(ids, rows[i].Session)
		lists[at] = append(lists[at], rec)
	}
	pricer, err := cost.PricerFor(ctx, r, tenant)
	if err != nil {
		return nil, err
	}
	for i, s := range sessions {
		p := Prices{Pricer: pricer}
		if len(pricer.Split.Tags) > 0 {
			if p.Streams, err = sessionstreams.OfSession(ctx, r, tenant, s); err != nil {
				return nil, err
			}
		}
		p.Price(lists[i])
	}
	return lists, nil
}

func (u *usageRow) record() (Record, error) {
	rec := Record{
		ID: u.ID, stream: u.Stream, parts: u.Parts, SpanID: u.Span, RunID: u.Run, Agent: u.Agent,
		Model: query.Named(u.Model), Provider: query.Named(u.Provider),
		Mode: u.Mode, Scope: u.Scope, Duplicate: u.Duplicate, At: query.Instant(u.At), Raw: query.RawJSON(u.Raw),
		Tokens: cost.TokensOf(u.Input, u.CacheRead, u.CacheWrite5m, u.CacheWrite1h, u.Output, u.Reasoning),
	}
	var err error
	rec.Billing, err = u.billing(&u.Parts)
	if u.Stated != 0 {
		rec.StatedTotal, rec.Discrepancy = &u.Stated, u.Stated != u.Counted
	}
	return rec, err
}

// TotalsOf returns the usage and the cost of records.
func TotalsOf(records []Record) cost.UsageTotals {
	var s cost.UsageTotals
	for i := range records {
		if !records[i].Duplicate {
			s.Add(records[i].spent)
		}
	}
	return s
}
