package charges_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"tapedeck/internal/fulltest"
	"tapedeck/query"
	"tapedeck/query/billing/charges"
	"tapedeck/query/facts/rollup"
	"tapedeck/query/querytest"
	"tapedeck/schema"
	"tapedeck/schema/lifecycle/retention"
	"tapedeck/schema/lifecycle/tombstone"
	"tapedeck/schema/tables"
)

const day = 24 * 3600 // seconds

// dice makes recordings of usage at random.
type dice struct{ *rand.Rand }

func pick[T any](d dice, list ...T) T { return list[d.IntN(len(list))] }

// usage returns records of a stream from a second on. Ids and scopes repeat, so that several
// streams report one call and continue one running total.
func (d dice) usage(at float64) (list []schema.Usage) {
	for range 1 + d.IntN(4) {
		at += pick(d, 0, 1, 700, 0.5*day, 1.2*day)
		u := used(fmt.Sprint("u", d.IntN(7)), pick(d, "speaker", "big", "nobody's", ""), at,
			schema.Tokens{Input: uint64(d.IntN(2000)), CacheRead: uint64(d.IntN(3)), Output: uint64(d.IntN(50)), Reasoning: uint64(d.IntN(2))})
		u.Provider, u.ServiceTier, u.Region = pick(d, "p", "p", ""), pick(d, "", "flex"), pick(d, "", "eu")
		u.RequestID, u.MessageID, u.RequestedModel = pick(d, "", "req"), pick(d, "", "msg"), pick(d, "", "speaker-latest")
		u.Run, u.Node, u.Span, u.Agent = pick(d, "", "r1"), pick(d, "", "n1"), pick(d, "", "s1"), pick(d, "main", "")
		switch d.IntN(6) {
		case 0, 1:
			u.Mode, u.Scope = schema.UsageRunning, pick(d, "thread", "other")
		case 2:
			u.Scope = schema.RestScope + "r1"
		case 3:
			u.Cost, u.Currency, u.Total = pick(d, "0.25", "1e-3"), "USD", 1234
			u.Parts.Input.Audio, u.Tools.WebSearches, u.Tools.WebFetches = 1, 2, 1
		}
		list = append(list, u)
	}
	return list
}

func (d dice) recording(session string, stream int, at float64) querytest.Recording {
	r := querytest.Recording{Session: session, Stream: stream, Usages: d.usage(at), Live: d.IntN(5) == 0}
	r.State.Tags = map[string]string{"env": pick(d, "prod", "test")}
	if value := pick(d, "c1", "c2", "", "none"); value != "none" {
		r.State.Tags["customer"] = value
	}
	return r
}

// TestRandomCharges compares charges that are read with a settlement with those that are read
// without, after random changes of every kind, before they are settled and afterwards.
func TestRandomCharges(t *testing.T) {
	fulltest.Long(t)
	d := dice{rand.New(rand.NewPCG(29, 0))}
	db := querytest.New(t)
	db.Merge()
	prices := query.WithPrices(pricesWith(t, operatorPrices))
	fast, slow := querytest.Reader(db, 1e7, prices), querytest.Reader(db, 1e7, prices, query.WithoutSettled())
	settler := rollup.NewSettler(fast, slog.New(slog.DiscardHandler))
	deleted, expired := tombstone.NewStore(db.Conn), retention.NewStore(db.Conn)

	stream := 0
	begins := map[string]float64{}
	last := map[string]querytest.Recording{}
	add := func(session string, at float64) {
		stream++
		r := d.recording(session, stream, at)
		last[session] = r
		db.Add(r)
	}
	for i := range 20 {
		session := fmt.Sprint("s", i)
		begins[session] = pick(d, 0, 0.9*day, 2.0*day, 28.5*day, 29.9*day, 45*day) + float64(d.IntN(1000))
		for range 1 + d.IntN(3) {
			add(session, begins[session]+pick(d, 0, 5, 1.0*day))
		}
	}
	change := map[string]func(session string){
		"late block": func(session string) {
			r := last[session]
			r.State.FirstSeq, r.State.Version, r.Usages = uint64(10+d.IntN(90)), uint64(10+stream), d.usage(begins[session])
			for i := range r.Usages {
				r.Usages[i].SeenSeq = r.State.FirstSeq + uint64(i)
			}
			db.Add(r)
		},
		"resumed":        func(session string) { add(session, begins[session]+pick(d, 1.0*day, 31*day)) },
		"recorded again": func(session string) { add(session, begins[session]) },
		"decoded anew": func(session string) {
			r := last[session]
			r.Usages = d.usage(begins[session])
			generation := uint64(1000 + d.IntN(1000))
			db.AddGeneration(generation, r)
			db.Commit(generation, r, 0)
		},
		"deletion begun": func(session string) {
			if _, err := deleted.Put(t.Context(), tombstone.Key{Tenant: db.Tenant, Session: session}); err != nil {
				t.Fatal(err)
			}
		},
		"deleted": func(session string) {
			if err := tombstone.NewDeleter(deleted, nil, nil).Delete(t.Context(), tombstone.Key{Tenant: db.Tenant, Session: session}); err != nil {
				t.Fatal(err)
			}
		},
		"restored": func(session string) {
			key := tombstone.Key{Tenant: db.Tenant, Session: session}
			if err := tombstone.NewDeleter(deleted, nil, nil).Delete(t.Context(), key); err != nil {
				t.Fatal(err)
			}
			db.Restore(session, last[session].Stream)
			db.Add(last[session])
		},
		"expired": func(session string) {
			due := []retention.Due{{Session: session, Until: querytest.StreamID(1000)}}
			marks := querytest.Must[[]retention.Expiration](t)(expired.Mark(t.Context(), &retention.Policy{Tenant: db.Tenant, Kind: tables.Charges}, due, time.Now()))
			if d.IntN(2) == 0 {
				return // not removed yet
			}
			if err := expired.Remove(t.Context(), marks); err != nil {
				t.Fatal(err)
			}
		},
		"other tags": func(session string) {
			r := last[session]
			r.Usages, r.State.Version = nil, uint64(1000+stream)
			// The row before counts until it is merged, for tags that this one lacks.
			r.State.Tags = map[string]string{"customer": pick(d, "c1", "c3"), "env": "dev", "late": "y"}
			db.Add(r)
		},
	}
	kinds := make([]string, 0, len(change))
	for kind := range change {
		kinds = append(kinds, kind)
	}
	slices.Sort(kinds)

	compared := 0
	queries := []charges.Query{
		{}, {From: querytest.When(day), To: querytest.When(2 * day)}, {From: querytest.When(29.5 * day)}, {To: querytest.When(1.5 * day)},
		{SessionIDs: []string{"s1", "s2", "s3"}, From: querytest.When(0.5 * day), To: querytest.When(40 * day)},
	}
	read := func(r *query.Reader, q charges.Query) (lines []string) {
		t.Helper()
		for _, c := range list(t, r, q) {
			line, err := json.Marshal(c)
			if err != nil {
				t.Fatal(err)
			}
			lines = append(lines, string(line))
		}
		return lines
	}
	settle := func() {
		t.Helper()
		if err := settler.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	settle()
	for round := range len(kinds) + 1 {
		for range d.IntN(5) + 1 {
			session := fmt.Sprint("s", d.IntN(20))
			kind := pick(d, kinds...)
			if round < len(kinds) { // each kind at least once
				kind = kinds[round]
			}
			change[kind](session)
			t.Logf("round %d: %s %s", round, session, kind)
		}
		asked := append(queries[:1:1], queries[1+round%4])
		want := make([][]string, len(asked))
		for i, q := range asked {
			want[i] = read(slow, q)
			compared += 2 * len(want[i])
			querytest.Equal(t, fmt.Sprintf("round %d: query %d, changed", round, i), want[i], read(fast, q))
		}
		settle()
		for i, q := range asked {
			querytest.Equal(t, fmt.Sprintf("round %d: query %d, settled", round, i), want[i], read(fast, q))
		}
	}
	t.Logf("%d charges compared", compared)
	if compared < 1000 {
		t.Error("these are too few")
	}
}
