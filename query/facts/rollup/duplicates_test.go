package rollup_test

import (
	"testing"
	"time"

	"tapedeck/query"
	"tapedeck/query/querytest"
	"tapedeck/query/report/modelcalls"
	"tapedeck/query/report/usagereport"
	"tapedeck/schema"
	"tapedeck/schema/lifecycle/retention"
	"tapedeck/schema/lifecycle/tombstone"
	"tapedeck/schema/tables"
)

// A call that a span and a recorded stream state counts once, in the order in which they come, in one session or in two.
func TestDuplicates(t *testing.T) {
	w := newWorld(t)
	stream, readers := 0, map[string]*query.Reader{"settled": w.fast}
	state := func(session, dialect, usage, message, request string, input uint64) {
		t.Helper()
		stream++
		at := float64(stream)
		u := querytest.Used(usage, "gpt-5", at, schema.Tokens{Input: input})
		u.MessageID, u.RequestID, u.Span = message, request, "span of "+usage
		call := schema.Span{Fact: schema.Fact{ID: u.Span}, Kind: schema.SpanLLM, Model: "gpt-5",
			Started: querytest.AtSecond(at), Ended: querytest.AtSecond(at + 1)}
		w.db.Add(querytest.Recording{Session: session, Stream: stream, State: schema.StreamState{Dialect: dialect},
			Usages: []schema.Usage{u}, Spans: []schema.Span{call}})
	}
	total := func(what string, calls uint64, input int64) {
		t.Helper()
		w.settle() // marks
		w.settle() // counts
		for name, reader := range readers {
			usage, err := usagereport.Read(t.Context(), reader, usagereport.Query{Tenant: querytest.Tenant})
			if err != nil {
				t.Fatal(err)
			}
			if got := usage.Totals; got.Calls != calls || got.Tokens.Input != input {
				t.Errorf("%s, %s: %d calls, %d tokens, want %d, %d", what, name, got.Calls, got.Tokens.Input, calls, input)
			}
		}
	}
	state("stream", "anthropic", "usage:msg_0123456789abcdef", "msg_0123456789abcdef", "", 1)
	state("spans", "otlp", "usage:msg_0123456789abcdef", "msg_0123456789abcdef", "", 1)
	state("spans", "otlp", "usage:resp_0123456789abcdef", "resp_0123456789abcdef", "", 10)
	// The id of the request, in one session, and the same record of that session.
	state("agent", "otlp", "usage:request:req_0123456789abcdef", "", "req_0123456789abcdef", 100)
	state("agent", "claudecode", "usage:msg_of_request_12345", "msg_of_request_12345", "req_0123456789abcdef", 100)
	state("agent", "otlp", "usage:msg_of_request_12345", "msg_of_request_12345", "", 100)
	// The id of a server that counts.
	state("counted", "openai", "usage:chatcmpl-7", "chatcmpl-7", "", 1000)
	state("counter", "otlp", "usage:chatcmpl-7", "chatcmpl-7", "", 1000)
	total("the streams first", 5, 2111)

	state("late", "openai", "usage:resp_0123456789abcdef", "resp_0123456789abcdef", "", 11)
	readers["tables"] = w.slow
	total("a stream later", 5, 2112)
	for name, reader := range readers {
		if of, err := modelcalls.Read(t.Context(), reader, modelcalls.Query{Tenant: querytest.Tenant}); err != nil || of.Totals.Calls != 5 {
			t.Errorf("%s: a report on %+v, error %v, want 5 calls", name, of, err)
		}
	}
	delete(readers, "tables")

	key := tombstone.Key{Tenant: querytest.Tenant, Session: "late"}
	store := tombstone.NewStore(w.db.Conn)
	if _, err := store.Put(t.Context(), key); err != nil {
		t.Fatal(err)
	}
	w.db.Merge()
	if err := tombstone.NewDeleter(store, nil, nil).Delete(t.Context(), key); err != nil {
		t.Fatal(err)
	}
	w.later -= time.Hour // another server, whose clock is behind
	total("the stream is deleted", 5, 2111)
}

// A call counts again, as its span states it, when the recording that states it too expires.
func TestDuplicatesOfExpired(t *testing.T) {
	w := newWorld(t)
	const id = "msg_0123456789abcdef"
	for i, dialect := range []string{"anthropic", "otlp"} {
		u := querytest.Used("usage:"+id, "gpt-5", 1, schema.Tokens{Input: uint64(1 + 9*i)})
		u.MessageID = id
		w.db.Add(querytest.Recording{Session: dialect, Stream: i + 1, State: schema.StreamState{Dialect: dialect}, Usages: []schema.Usage{u}})
	}
	total := func(what string, input int64) {
		t.Helper()
		w.settle() // marks
		w.settle() // counts
		usage := querytest.Must[*usagereport.Report](t)(usagereport.Read(t.Context(), w.fast, usagereport.Query{Tenant: querytest.Tenant}))
		if got := usage.Totals; got.Calls != 1 || got.Tokens.Input != input {
			t.Errorf("%s: %d calls, %d tokens, want 1, %d", what, got.Calls, got.Tokens.Input, input)
		}
	}
	total("both", 1)
	store := retention.NewStore(w.db.Conn)
	marks := querytest.Must[[]retention.Expiration](t)(store.Mark(t.Context(), &retention.Policy{Tenant: querytest.Tenant, Kind: tables.Charges},
		[]retention.Due{{Session: "anthropic", Until: querytest.StreamID(1)}}, time.Now()))
	w.db.Merge()
	if err := store.Remove(t.Context(), marks); err != nil {
		t.Fatal(err)
	}
	total("the recording expired", 10)
}
