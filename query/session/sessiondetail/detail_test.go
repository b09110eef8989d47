package sessiondetail_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"tapedeck/internal/problem"
	"tapedeck/query"
	"tapedeck/query/facts/sessionhead"
	"tapedeck/query/facts/sessionstreams"
	"tapedeck/query/pricing/cost"
	"tapedeck/query/pricing/prices"
	"tapedeck/query/querytest"
	"tapedeck/query/report/toolreport"
	"tapedeck/query/report/usagereport"
	"tapedeck/query/session/deletion"
	"tapedeck/query/session/sessiondetail"
	"tapedeck/query/session/sessionframes"
	"tapedeck/query/session/sessionlist"
	"tapedeck/query/session/timeline"
	"tapedeck/query/session/transcript"
	"tapedeck/schema"
)

func TestSession(t *testing.T) {
	db := querytest.Open(t)
	r1, r2 := querytest.Run("r1", schema.StatusOK, 1, 20), querytest.Run("r2", schema.StatusUnclosed, 30, 90)
	r1.Run, r2.Run, r2.Error = "run-1", "run-2", "stream ended"
	bash, edit := querytest.Tool("t1", "bash", schema.StatusOK, 2, 4), querytest.Tool("t2", "edit", schema.StatusError, 32, 33)
	bash.Run, edit.Run = "run-1", "run-2"
	u1, u2 := querytest.Used("u1", "gpt-5", 5, schema.Tokens{Input: 100, Output: 7}), querytest.Used("u2", "in-house-1", 35, schema.Tokens{Input: 1})
	u1.Run, u2.Run, u2.Total = "run-1", "run-2", 2
	long := strings.Repeat("wörter ", 100)
	growing := querytest.Said("m3", schema.MessageAssistant, "run-2", "So far", 40)
	growing.Complete = false
	state := schema.StreamState{
		Title: "Fix it", Evidence: "its first line", Source: "agent --json", Tags: map[string]string{"k": "v"},
		FirstAt: querytest.AtSecond(0), LastAt: querytest.AtSecond(90), Frames: 40, Bytes: 4000, Ended: querytest.AtSecond(91), EndReason: "closed",
		Counters: schema.Counters{NotJSON: 1, InvalidUTF8: 2, Oversize: 3, Unknown: 4, Lost: 5, Repeated: 6, Back: 7},
		Redacted: map[string]uint64{"jwt": 2, "openai-key": 1},
	}
	part := state // what came later, in a part of its own
	part.FirstSeq, part.Version, part.FirstAt, part.LastAt = 900, 1, querytest.AtSecond(95), querytest.AtSecond(100)
	part.Ended, part.Counters = querytest.AtSecond(100), schema.Counters{Lost: 100}
	part.Redacted = map[string]uint64{"jwt": 3}
	db.Add(
		querytest.Recording{Session: "s", Stream: 1, State: state,
			Spans:  []schema.Span{r1, r2, bash, edit},
			Usages: []schema.Usage{u1, u2},
			Messages: []schema.Message{
				querytest.Said("q1", schema.MessageUser, "", "Please fix it", 0), // before the run was known
				querytest.Said("m1", schema.MessageAssistant, "run-1", "Looking at it", 5),
				querytest.Said("m2", schema.MessageReply, "run-1", long, 19),
				querytest.Said("m4", schema.MessageAssistant, "run-1", "said after the whole reply", 19.5),
				querytest.Said("q2", schema.MessageUser, "run-2", "And now?", 30),
				querytest.Said("x", schema.MessageThinking, "run-2", "hm", 31),
				growing,
			},
		},
		querytest.Recording{Session: "s", Stream: 1, State: part},
		querytest.Recording{Session: "s", Stream: 2, State: schema.StreamState{Dialect: "openai-chat", Transport: schema.SSE, FirstAt: querytest.AtSecond(50), Frames: 1}, Live: true},
	)
	got := querytest.Must[*sessiondetail.Detail](t)(sessiondetail.Read(t.Context(), querytest.Reader(db, 1e6), db.Tenant, "s"))
	// gpt-5 costs 1.25 dollars for a million input tokens, and 10 for output: 100 * 1.25 + 7 * 10
	// millionths.
	known := &cost.Money{Amount: decimal.RequireFromString("0.000195"), Currency: "USD"}
	none := []cost.Unpriced{{Reason: prices.UnknownModel, Model: querytest.Ptr("in-house-1"), Calls: 1, Tokens: 1}}
	querytest.Equal(t, "runs", []sessiondetail.Run{
		{
			SpanID: "r1", RunID: "run-1", Started: querytest.When(1), Ended: querytest.Ptr(querytest.When(20)), DurationMS: querytest.Ptr(19000.0), Status: "ok", Agent: "main",
			Position: schema.Position{At: querytest.AtSecond(1), StreamID: querytest.StreamID(1)}.String(),
			Message:  querytest.Ptr("Please fix it"), Reply: querytest.Ptr(string([]rune(long)[:280]) + "…"),
			Tools: sessionhead.ToolCounts{Calls: 1}, UsageTotals: cost.UsageTotals{Calls: 1, Tokens: cost.Tokens{Input: 100, Output: 7, Total: 107}, Cost: known},
		},
		{
			SpanID: "r2", RunID: "run-2", Started: querytest.When(30), Status: "unclosed", Error: querytest.Ptr("stream ended"), Agent: "main",
			Position: schema.Position{At: querytest.AtSecond(30), StreamID: querytest.StreamID(1), Seq: 1}.String(),
			Message:  querytest.Ptr("And now?"), Reply: querytest.Ptr("So far"),
			Tools: sessionhead.ToolCounts{Calls: 1, Errors: 1}, UsageTotals: cost.UsageTotals{
				Calls: 1, Tokens: cost.Tokens{Input: 1, Total: 1}, UnpricedCalls: 1, UnpricedTokens: 1, Unpriced: none, Discrepancies: 1,
			},
		},
	}, got.Runs)
	querytest.Equal(t, "streams", []sessionstreams.Stream{
		{
			ID: querytest.StreamID(1), Transport: "ndjson", Dialect: "loom", Evidence: "its first line", Source: "agent --json",
			Tags: map[string]string{"k": "v"}, Title: "Fix it", FirstAt: querytest.When(0), LastAt: querytest.When(100), Frames: 80, Bytes: 8000,
			Ended: querytest.Ptr(querytest.When(100)), EndReason: "closed",
			Counters: sessionstreams.Counters{NotJSON: 1, InvalidUTF8: 2, Oversize: 3, Unknown: 4, Lost: 105, Repeated: 6, Back: 7},
			Redacted: map[string]uint64{"jwt": 5, "openai-key": 1},
		},
		{
			ID: querytest.StreamID(2), Transport: "sse", Dialect: "openai-chat", Tags: map[string]string{}, FirstAt: querytest.When(50), LastAt: querytest.When(50), Frames: 1,
			IsLost: true, Redacted: map[string]uint64{},
		},
	}, got.Streams)
	querytest.Equal(t, "totals", sessiondetail.Totals{
		Runs: 2, Streams: 2, Frames: 81, Bytes: 8000, Tools: sessionhead.ToolCounts{Calls: 2, Errors: 1},
		UsageTotals: cost.UsageTotals{
			Calls: 2, Tokens: cost.Tokens{Input: 101, Output: 7, Total: 108}, Cost: known,
			UnpricedCalls: 1, UnpricedTokens: 1, Unpriced: none, Discrepancies: 1,
		},
	}, got.Totals)
	querytest.Equal(t, "head", sessionhead.Head{
		ID: "s", Started: querytest.When(0), Ended: querytest.Ptr(querytest.When(100)), LastAt: querytest.When(100), DurationMS: 100000, Status: sessionhead.Incomplete, Title: "Fix it",
		End:    &sessionhead.End{At: querytest.When(100), OffsetMS: 100000, Reason: sessionhead.EndClosed, Detail: "the recording was closed"},
		Frames: 81, Bytes: 8000, Tools: got.Totals.Tools, Dialects: []string{"loom", "openai-chat"}, Agents: []string{"main"},
		Models: []string{}, Tags: map[string]string{"k": "v"}, UsageTotals: got.Totals.UsageTotals,
	}, got.Head)
	var codes []string
	for _, d := range got.Discrepancies {
		codes = append(codes, d.Code)
		if d.Count == 1 != strings.Contains(d.Detail, "1 ") && d.Code != sessiondetail.UsageMismatch {
			t.Errorf("%+v: the sentence does not fit the count", d)
		}
	}
	querytest.Equal(t, "discrepancies", "lost_at_source usage_total_mismatch unknown_type not_json invalid_utf8 oversize repeated_ids backward_ids unclosed_spans unpriced_calls",
		strings.Join(codes, " "))
	querytest.Equal(t, "lost", sessiondetail.Discrepancy{Code: "lost_at_source", Count: 105, Detail: "105 frames were lost at the source: ids are missing in its numbering."}, got.Discrepancies[0])
	querytest.Equal(t, "unclosed", sessiondetail.Discrepancy{Code: "unclosed_spans", Count: 1, Detail: "1 span never ended: its run or its stream ended first."}, got.Discrepancies[8])
}

func TestSessionThatIsNotThere(t *testing.T) {
	db := querytest.Open(t)
	db.Add(querytest.Recording{Session: "theirs", Stream: 1, Tenant: "other", Frames: []schema.Frame{{At: querytest.AtSecond(0)}}})
	r := query.NewReader(db.Conn)
	ctx := t.Context()
	for name, ask := range map[string]func(session string) error{
		"session":  func(s string) error { _, err := sessiondetail.Read(ctx, r, db.Tenant, s); return err },
		"timeline": func(s string) error { _, err := timeline.Read(ctx, r, db.Tenant, s); return err },
		"transcript": func(s string) error {
			_, err := transcript.Read(ctx, r, transcript.Query{Tenant: db.Tenant, Session: s, Limit: 1})
			return err
		},
		"frames": func(s string) error {
			_, err := sessionframes.Read(ctx, r, sessionframes.Query{Tenant: db.Tenant, Session: s, Limit: 1})
			return err
		},
		"raw frames": func(s string) error {
			return sessionframes.ReadRaw(ctx, r, sessionframes.Query{Tenant: db.Tenant, Session: s}, func(*sessionframes.RawFrame) error {
				t.Error("frames of a session of somebody else")
				return nil
			})
		},
		"delete": func(s string) error { return deletion.Delete(ctx, r, db.Tenant, s) },
	} {
		for _, session := range []string{"none", "theirs", ""} {
			err := ask(session)
			if p, ok := errors.AsType[*problem.Problem](err); !ok || p.Status != 404 || p.Detail == "" {
				t.Errorf("%s of %q: error %v, want a problem with status 404", name, session, err)
			}
		}
	}
}

func TestDelete(t *testing.T) {
	db := querytest.New(t)
	db.Merge() // a deletion is a mutation, which waits its turn with the merges
	rec := func(tenant, session string, stream int) querytest.Recording {
		return querytest.Recording{
			Tenant: tenant, Session: session, Stream: stream,
			Frames:   []schema.Frame{{At: querytest.AtSecond(0), Raw: []byte("{}\n")}, {Seq: 1, At: querytest.AtSecond(1), Raw: []byte("{}\n")}},
			Spans:    []schema.Span{querytest.Tool("t", "bash", schema.StatusOK, 0, 1)},
			Messages: []schema.Message{querytest.Said("m", schema.MessageUser, "", "hello", 0)},
			Usages:   []schema.Usage{querytest.Used("u", "m", 0, schema.Tokens{Input: 1})},
		}
	}
	db.Add(rec("", "gone", 1), rec("", "gone", 2), rec("", "kept", 3), rec("other", "gone", 4))
	r := query.NewReader(db.Conn)
	if err := deletion.Delete(t.Context(), r, querytest.Tenant, "gone"); err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"frames", "streams", "spans", "messages", "usage"} {
		rows, err := db.Conn.Query(t.Context(), "SELECT DISTINCT tenant || '/' || session_id FROM "+table+" ORDER BY 1")
		if err != nil {
			t.Fatal(err)
		}
		var left []string
		for rows.Next() {
			var s string
			if err := rows.Scan(&s); err != nil {
				t.Fatal(err)
			}
			left = append(left, s)
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			t.Fatal(err)
		}
		querytest.Equal(t, table, "acme/kept other/gone", strings.Join(left, " "))
	}
	if err := deletion.Delete(t.Context(), r, querytest.Tenant, "gone"); err == nil {
		t.Error("deleted twice without an error")
	}
	usage := querytest.Must[*usagereport.Report](t)(usagereport.Read(t.Context(), r, usagereport.Query{Tenant: querytest.Tenant}))
	tools := querytest.Must[*toolreport.Report](t)(toolreport.Read(t.Context(), r, toolreport.Query{Tenant: querytest.Tenant}))
	list := querytest.Must[*query.Page[sessionhead.Summary]](t)(sessionlist.Read(t.Context(), r, sessionlist.Query{Tenant: querytest.Tenant, Limit: 9}))
	if usage.Totals.Calls != 1 || tools.Totals.Calls != 1 || len(list.Items) != 1 {
		t.Errorf("%d calls, %d tool calls and %d sessions are left, want one of each", usage.Totals.Calls, tools.Totals.Calls, len(list.Items))
	}
	// What arrives late of a stream that began before is hidden; an import brings it back.
	db.Add(rec("", "gone", 5))
	if err := deletion.Delete(t.Context(), r, querytest.Tenant, "gone"); err == nil {
		t.Error("a stream that was late shows")
	}
	usage = querytest.Must[*usagereport.Report](t)(usagereport.Read(t.Context(), r, usagereport.Query{Tenant: querytest.Tenant}))
	tools = querytest.Must[*toolreport.Report](t)(toolreport.Read(t.Context(), r, toolreport.Query{Tenant: querytest.Tenant}))
	list = querytest.Must[*query.Page[sessionhead.Summary]](t)(sessionlist.Read(t.Context(), r, sessionlist.Query{Tenant: querytest.Tenant, Limit: 9}))
	if usage.Totals.Calls != 1 || tools.Totals.Calls != 1 || len(list.Items) != 1 {
		t.Errorf("%d calls, %d tool calls and %d sessions show, want one of each", usage.Totals.Calls, tools.Totals.Calls, len(list.Items))
	}
	db.Restore("gone", 5)
	if d := querytest.Must[*sessiondetail.Detail](t)(sessiondetail.Read(t.Context(), r, querytest.Tenant, "gone")); d.Frames != 2 {
		t.Errorf("%d frames after it was recorded anew, want 2", d.Frames)
	}
}
