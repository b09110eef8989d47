package bills

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"tapedeck/query"
	"tapedeck/query/charges"
	"tapedeck/query/cost"
	"tapedeck/schema"
)

// Decoder decodes the frames of a session anew and returns all usage records of it. Nothing is
// stored.
type Decoder func(ctx context.Context, tenant, session string) ([]Decoded, error)

// Decoded is a usage record of a stream.
type Decoded struct {
	StreamID string
	schema.Usage
}

// WithDecoder sets what decodes frames. Without it verifications read no frames.
func (s *Store) WithDecoder(d Decoder) *Store {
	s.decoder = d
	return s
}

// FrameCheck is the result of decoding frames anew.
type FrameCheck struct {
	Sessions uint64 `json:"sessions"` // that were decoded anew
	Of       uint64 `json:"of"`       // sessions of the bill
	// Failed are sessions that could not be decoded, with the reason.
	Failed      []FrameFailure    `json:"failed"`
	Differences []FrameDifference `json:"differences"` // the first of them
}

// FrameFailure is a session whose frames could not be decoded, such as one that was deleted.
type FrameFailure struct {
	SessionID string `json:"session_id"`
	Detail    string `json:"detail"`
}

// FrameDifference is a charge for which the frames state something else than is stored.
type FrameDifference struct {
	ChargeID  string `json:"charge_id"`
	SessionID string `json:"session_id"`
	Position  string `json:"position"` // of the frame that states it; "" if none does
	Field     string `json:"field"`    // such as "input" or "model"
	Stored    string `json:"stored"`   // "" if the charge is not stored
	Decoded   string `json:"decoded"`  // "" if no frame states it
}

// maxFrameFailures bounds the sessions that are listed as failed.
const maxFrameFailures = 20

// frames decodes the frames of at most so many sessions anew and compares the usage that they
// state with what is stored: first of sessions that differ, then of those that cost most.
func (v *verifier) frames(ctx context.Context, most int) error {
	rows, err := query.Ask[sessionRow](ctx, v.store.reader, statements, "billed_sessions", nil, query.Args{"tenant": v.tenant, "attempt": v.bill.Attempt})
	if err != nil {
		return err
	}
	check := &v.result.Frames
	check.Of = uint64(len(rows))
	if v.store.decoder == nil {
		return nil
	}
	differing := map[string]bool{}
	for i := range v.result.Differences {
		differing[v.result.Differences[i].SessionID] = true
	}
	slices.SortStableFunc(rows, func(a, b sessionRow) int { return boolean(differing[b.ID]) - boolean(differing[a.ID]) })
	for _, row := range rows[:min(most, len(rows))] {
		if err := v.session(ctx, row.ID); err != nil {
			return err
		}
	}
	return nil
}

func (v *verifier) session(ctx context.Context, id string) error {
	check := &v.result.Frames
	decoded, err := v.store.decoder(ctx, v.tenant, id)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if len(check.Failed) < maxFrameFailures {
			check.Failed = append(check.Failed, FrameFailure{id, err.Error()})
		}
		return nil
	}
	check.Sessions++
	stated := map[string]*statedUsage{}
	for _, u := range combine(decoded) {
		stated[charges.ID(v.tenant, id, u.ID)] = u
	}
	q := charges.Query{Tenant: v.tenant, SessionIDs: []string{id}}
	err = charges.Each(ctx, v.store.reader, q, "", 0, func(c *charges.Charge) error {
		u := stated[c.ChargeID]
		delete(stated, c.ChargeID)
		if u == nil {
			v.frameDifference(FrameDifference{ChargeID: c.ChargeID, SessionID: id, Field: "usage", Stored: fmt.Sprint(c.Tokens.Total)})
			return nil
		}
		stored := storedUsage(c)
		for i, field := range u.fields() {
			if was := stored[i]; was != field.value {
				v.frameDifference(FrameDifference{ChargeID: c.ChargeID, SessionID: id, Position: u.position, Field: field.name, Stored: was, Decoded: field.value})
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for charge, u := range stated {
		v.frameDifference(FrameDifference{ChargeID: charge, SessionID: id, Position: u.position, Field: "usage", Decoded: strconv.FormatInt(u.quantities.Tokens(), 10)})
	}
	return nil
}

func (v *verifier) frameDifference(d FrameDifference) {
	if check := &v.result.Frames; len(check.Differences) < maxDifferences {
		check.Differences = append(check.Differences, d)
	}
}

// statedUsage is what a usage record of a session adds.
type statedUsage struct {
	Decoded
	quantities cost.Quantities
	position   string
}

type usageField struct{ name, value string }

// fields returns what a charge depends on.
func (u *statedUsage) fields() []usageField {
	list := []usageField{{"model", u.Model}, {"provider", u.Provider}, {"service_tier", u.ServiceTier}, {"speed", u.Speed}, {"region", u.Region}}
	for _, n := range counted(&u.quantities) {
		list = append(list, usageField{n.name, strconv.FormatInt(n.n, 10)})
	}
	return list
}

// storedUsage returns the values of the same fields as they are stored.
func storedUsage(c *charges.Charge) []string {
	list := []string{query.Text(c.Model), query.Text(c.Provider), c.ServiceTier, c.Speed, c.Region}
	for _, n := range counted(&c.Quantities) {
		list = append(list, strconv.FormatInt(n.n, 10))
	}
	return list
}

type count struct {
	name string
	n    int64
}

func counted(q *cost.Quantities) []count {
	return []count{
		{"input", q.Input}, {"cache_read", q.CacheRead}, {"cache_write_5m", q.CacheWrite5m}, {"cache_write_1h", q.CacheWrite1h},
		{"output", q.Output}, {"reasoning", q.Reasoning}, {"input_audio", q.InputAudio}, {"output_audio", q.OutputAudio},
		{"web_searches", q.WebSearches}, {"code_executions", q.CodeExecutions},
	}
}

// combine returns what the usage records of a session add, as sql/usage_records.sql does: of
// records with one id the last stands, and a running total adds its difference to the one
// before it in its scope, unless it is lower.
func combine(records []Decoded) []*statedUsage {
	slices.SortFunc(records, func(a, b Decoded) int {
		return cmp.Or(cmp.Compare(b.At, a.At), cmp.Compare(b.Version, a.Version), cmp.Compare(b.StreamID, a.StreamID))
	})
	seen := map[string]bool{}
	var list []*statedUsage
	for _, r := range records {
		if !seen[r.ID] {
			seen[r.ID] = true
			list = append(list, &statedUsage{Decoded: r, position: schema.Position{At: r.At, StreamID: r.StreamID, Seq: r.Version - 1}.String()})
		}
	}
	slices.SortFunc(list, func(a, b *statedUsage) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.StreamID, b.StreamID), cmp.Compare(a.Version, b.Version), cmp.Compare(a.ID, b.ID))
	})
	last := map[string]*schema.Usage{}
	for _, u := range list {
		u.quantities = quantities(&u.Usage)
		if u.Mode != schema.UsageRunning {
			continue
		}
		if before := last[u.Scope]; before != nil && u.Tokens.Sum() >= before.Tokens.Sum() {
			u.quantities = less(u.quantities, quantities(before))
		}
		last[u.Scope] = &u.Usage
	}
	return list
}

func quantities(u *schema.Usage) cost.Quantities {
	t, p := &u.Tokens, &u.Parts
	return cost.Quantities{
		Input: int64(t.Input), CacheRead: int64(t.CacheRead), CacheWrite5m: int64(t.CacheWrite5m), CacheWrite1h: int64(t.CacheWrite1h),
		Output: int64(t.Output), Reasoning: int64(t.Reasoning),
		Parts: cost.Parts{
			InputAudio: int64(p.Input.Audio), OutputAudio: int64(p.Output.Audio),
			WebSearches: int64(u.Tools.WebSearches), CodeExecutions: int64(u.Tools.CodeExecutions),
		},
	}
}

func less(a, b cost.Quantities) cost.Quantities {
	a.Input, a.CacheRead = a.Input-b.Input, a.CacheRead-b.CacheRead
	a.CacheWrite5m, a.CacheWrite1h = a.CacheWrite5m-b.CacheWrite5m, a.CacheWrite1h-b.CacheWrite1h
	a.Output, a.Reasoning = a.Output-b.Output, a.Reasoning-b.Reasoning
	a.InputAudio, a.OutputAudio = a.InputAudio-b.InputAudio, a.OutputAudio-b.OutputAudio
	a.WebSearches, a.CodeExecutions = a.WebSearches-b.WebSearches, a.CodeExecutions-b.CodeExecutions
	return a
}
