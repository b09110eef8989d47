package query_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/fulltest"
	"tapedeck/query/facts/sessionhead"
	"tapedeck/query/querytest"
	"tapedeck/query/report/toolreport"
	"tapedeck/query/report/usagereport"
	"tapedeck/query/session/deletion"
	"tapedeck/query/session/sessiondetail"
	"tapedeck/query/session/sessionframes"
	"tapedeck/query/session/sessionlist"
	"tapedeck/query/session/timeline"
	"tapedeck/query/session/transcript"
	"tapedeck/query/sessionfilter"
	"tapedeck/schema"
)

// everything writes all that the API reports of a session and of its tenant.
func everything(t *testing.T, db *querytest.DB) map[string]string {
	t.Helper()
	r, ctx := querytest.Reader(db, 1e6), context.Background()
	seen := map[string]string{}
	note := func(name string, v any, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		text, err := json.MarshalIndent(v, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		seen[name] = string(text)
	}
	for name, f := range map[string]sessionfilter.Filter{
		"sessions": {}, "of a tool": {Tools: []string{"wrong"}}, "of a model": {Models: []string{"wrong-model"}},
		"of an agent": {Agents: []string{"wrong-agent"}}, "of a title": {Text: "wrong title"},
		"that failed": {Statuses: []sessionhead.Status{sessionhead.Failed}},
	} {
		v, err := sessionlist.Read(ctx, r, sessionlist.Query{Tenant: db.Tenant, Filter: f, Limit: 10})
		note(name, v, err)
	}
	detail, err := sessiondetail.Read(ctx, r, db.Tenant, "s")
	note("session", detail, err)
	timeline, err := timeline.Read(ctx, r, db.Tenant, "s")
	note("timeline", timeline, err)
	transcript, err := transcript.Read(ctx, r, transcript.Query{Tenant: db.Tenant, Session: "s", Limit: 100})
	note("transcript", transcript, err)
	frames, err := sessionframes.Read(ctx, r, sessionframes.Query{Tenant: db.Tenant, Session: "s", Limit: 100})
	note("frames", frames, err)
	for name, q := range map[string]usagereport.Query{
		"usage": {GroupBy: []string{"session", "model", "node"}}, "usage in a range": {From: querytest.When(0), To: querytest.When(2), GroupBy: []string{"model"}},
	} {
		q.Tenant = db.Tenant
		v, err := usagereport.Read(ctx, r, q)
		note(name, v, err)
	}
	for name, q := range map[string]toolreport.Query{
		"tools": {GroupBy: []string{"tool"}, Slowest: 10}, "tools in a range": {From: querytest.When(0), To: querytest.When(2), GroupBy: []string{"tool"}},
	} {
		q.Tenant = db.Tenant
		v, err := toolreport.Read(ctx, r, q)
		note(name, v, err)
	}
	return seen
}

// decodedAs is one stream as a dialect decodes it: other facts under other names.
func decodedAs(what string, first uint64, seconds float64) querytest.Recording {
	node := querytest.Span(schema.SpanNode, what+"-node", "", what, schema.StatusOK, seconds, seconds+3)
	node.Node = "n1"
	status := schema.StatusOK
	if what == "wrong" {
		status = schema.StatusError
	}
	call := querytest.Tool(what+"-call", what, schema.StatusOK, seconds+1, seconds+2)
	call.Agent = what + "-agent"
	shared := querytest.Tool("shared", what, schema.StatusOK, seconds+1, seconds+2)
	shared.Version = map[string]uint64{"wrong": 90}[what] // even where the old version is the higher
	shared.SeenSeq = first + 1
	u := querytest.Used(what+"-usage", what+"-model", seconds+1, schema.Tokens{Input: 5})
	u.Node = "n1"
	running := querytest.Used(what+"-total", what+"-model", seconds+1, schema.Tokens{Input: 7})
	running.Mode, running.Scope = schema.UsageRunning, "thread"
	return querytest.Recording{
		Session: "s", Stream: 1,
		State: schema.StreamState{
			FirstSeq: first, Dialect: what, Evidence: what, Title: what + " title", FirstAt: querytest.AtSecond(seconds), LastAt: querytest.AtSecond(seconds + 3), Frames: 2,
			Version: 2*(first+2) + 1,
		},
		Frames: []schema.Frame{
			{Seq: first, At: querytest.AtSecond(seconds), Raw: []byte("{}\n"), Envelope: schema.Envelope{Type: what}},
			{Seq: first + 1, At: querytest.AtSecond(seconds), Raw: []byte("{}\n"), Envelope: schema.Envelope{Type: what}},
		},
		Spans:    []schema.Span{querytest.Run(what+"-run", status, seconds, seconds+3), node, call, shared},
		Messages: []schema.Message{querytest.Said(what+"-message", schema.MessageAssistant, what+"-run", what, seconds+1)},
		Usages:   []schema.Usage{u, running},
	}
}

// Readers see one generation: the recorded one until another is committed, and
// then that one, whatever is inserted once more. What a tap writes of a later part
// shows beside it.
func TestGenerations(t *testing.T) {
	fulltest.Long(t)
	recorded, anew := decodedAs("wrong", 0, 0), decodedAs("right", 0, 0)
	only := querytest.New(t)
	only.Add(anew)
	want := everything(t, only)

	db := querytest.New(t)
	db.Add(recorded)
	before := everything(t, db)
	for name := range want {
		if before[name] == want[name] {
			t.Errorf("%s is the same either way: this shows nothing", name)
		}
	}
	db.AddGeneration(7, anew)
	got := everything(t, db)
	got["frames"] = before["frames"] // ahead of the rest
	querytest.Equal(t, "a generation that is not committed", before, got)
	db.Commit(7, anew, 0)
	querytest.Equal(t, "one that is", want, everything(t, db))
	db.Add(recorded)
	querytest.Equal(t, "what was recorded once more", want, everything(t, db))
	db.AddGeneration(9, recorded)
	got = everything(t, db)
	got["frames"] = want["frames"]
	querytest.Equal(t, "a further one that is not committed", want, got)
	db.AddGeneration(11, anew)
	db.Commit(11, anew, 0)
	querytest.Equal(t, "one after it", want, everything(t, db))

	later := decodedAs("later", 2, 1000)
	only.Add(later)
	db.Add(later)
	all := everything(t, only)
	if d := cmp.Diff(want, all); d == "" {
		t.Error("the later part changes nothing: this shows nothing")
	}
	querytest.Equal(t, "a later part", all, everything(t, db))

	db.Merge()
	if err := deletion.Delete(context.Background(), querytest.Reader(db, 1e6), querytest.Tenant, "s"); err != nil {
		t.Fatal(err)
	}
	db.Restore("s", recorded.Stream)
	db.Add(recorded)
	after := everything(t, db)
	var differ []string
	for name := range before {
		if before[name] != after[name] {
			differ = append(differ, name)
		}
	}
	if slices.Sort(differ); len(differ) > 0 {
		t.Errorf("deleted and imported again, %q differ", differ)
	}
}
