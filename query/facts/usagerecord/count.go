package usagerecord

import (
	"cmp"
	"slices"

	"tapedeck/schema"
)

// countOnce returns the records that the rows of some sessions are of, in order, and what each adds
// to a sum. It does with all rows of a few sessions what "careful_usage" (usage_records.sql) does in
// statements about many. Where several rows are of one record, because several streams report
// it or one reports it anew, the last row has the tokens; each other value on which a price
// depends comes from the last row that states it; recordTime is its time. A running total adds its difference to the record before
// it in its scope; a lower total than before began anew and counts whole. A cost that is stated
// with a running total is of no call, and is left out.
func countOnce(rows []usageRow) []usageRow {
	slices.SortFunc(rows, func(a, b usageRow) int {
		return cmp.Or(cmp.Compare(a.Session, b.Session), cmp.Compare(a.ID, b.ID),
			-cmp.Compare(a.At, b.At), -cmp.Compare(a.Version, b.Version), -cmp.Compare(a.Stream, b.Stream))
	})
	records := make([]usageRow, 0, len(rows))
	for first := 0; first < len(rows); {
		after := first + 1
		for after < len(rows) && rows[after].Session == rows[first].Session && rows[after].ID == rows[first].ID {
			after++
		}
		records = append(records, lastStated(rows[first:after]))
		first = after
	}
	slices.SortFunc(records, func(a, b usageRow) int {
		return cmp.Or(cmp.Compare(a.Session, b.Session), cmp.Compare(a.Mode, b.Mode), cmp.Compare(a.Scope, b.Scope),
			cmp.Compare(a.At, b.At), cmp.Compare(a.Stream, b.Stream), cmp.Compare(a.Version, b.Version),
			cmp.Compare(a.ID, b.ID))
	})
	var before usageRow // the previous stated total of the scope
	for i := range records {
		u := &records[i]
		if u.Mode != string(schema.UsageRunning) {
			continue
		}
		u.StatedCost, u.StatedCurrency = "", ""
		total := *u
		if u.sameScope(&before) && u.Counted >= before.Counted {
			for k, counter := range u.counters() {
				*counter -= *before.counters()[k]
			}
		}
		before = total
	}
	slices.SortFunc(records, func(a, b usageRow) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Stream, b.Stream), cmp.Compare(a.ID, b.ID))
	})
	return records
}

// recordTime returns when a record was stated last, in the stream that states it earliest: "record_time"
// of usage_records.sql. The rows are the record's, the last first.
func recordTime(rows []usageRow) int64 {
	last := map[string]int64{} // of each stream
	for i := range rows {
		if r := &rows[i]; r.At > last[r.Stream] {
			last[r.Stream] = r.At
		}
	}
	at := rows[0].At
	for _, of := range last {
		at = min(at, of)
	}
	return at
}

// lastStated returns the record that rows are of, the last first.
func lastStated(rows []usageRow) usageRow {
	u := rows[0]
	u.At = recordTime(rows)
	for i := 1; i < len(rows); i++ {
		older := &rows[i]
		for _, text := range [...][2]*string{
			{&u.Model, &older.Model}, {&u.Provider, &older.Provider}, {&u.RequestedModel, &older.RequestedModel},
			{&u.ServiceTier, &older.ServiceTier}, {&u.Speed, &older.Speed}, {&u.Region, &older.Region},
			{&u.RequestID, &older.RequestID}, {&u.MessageID, &older.MessageID},
		} {
			if *text[0] == "" {
				*text[0] = *text[1]
			}
		}
		if u.StatedCost == "" {
			u.StatedCost, u.StatedCurrency = older.StatedCost, older.StatedCurrency
		}
		if sum(u.modalities()) == 0 {
			assign(u.modalities(), older.modalities())
		}
		if sum(u.tools()) == 0 {
			assign(u.tools(), older.tools())
		}
	}
	return u
}

// sameScope reports whether two running totals belong to one scope.
func (u *usageRow) sameScope(v *usageRow) bool {
	return u.Session == v.Session && u.Mode == v.Mode && u.Scope == v.Scope
}

// counters returns pointers to all fields that a record adds to sums.
func (u *usageRow) counters() []*int64 {
	tokens := []*int64{&u.Input, &u.CacheRead, &u.CacheWrite5m, &u.CacheWrite1h, &u.Output, &u.Reasoning}
	return slices.Concat(tokens, u.modalities(), u.tools())
}

// modalities returns pointers to the tokens by modality.
func (u *usageRow) modalities() []*int64 {
	return []*int64{
		&u.InputText, &u.InputAudio, &u.InputImage, &u.InputVideo,
		&u.CacheReadText, &u.CacheReadAudio, &u.CacheReadImage, &u.CacheReadVideo,
		&u.OutputText, &u.OutputAudio, &u.OutputImage, &u.OutputVideo,
	}
}

// tools returns pointers to the uses of tools that the provider runs.
func (u *usageRow) tools() []*int64 {
	return []*int64{&u.Parts.WebSearches, &u.WebFetches, &u.Parts.CodeExecutions}
}

func sum(counters []*int64) (n int64) {
	for _, c := range counters {
		n += *c
	}
	return n
}

func assign(to, from []*int64) {
	for i := range to {
		*to[i] = *from[i]
	}
}
