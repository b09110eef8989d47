package query_test

import (
	"errors"
	"strings"
	"testing"

	"tapedeck/deploy/local/localtest"
	"tapedeck/internal/problem"
	"tapedeck/query"
	"tapedeck/query/querytest"
	"tapedeck/schema"
)

func TestSession(t *testing.T) {
	db := querytest.Open(t, localtest.ClickHouse(t))
	r1, r2 := run("r1", schema.StatusOK, 1, 20), run("r2", schema.StatusUnclosed, 30, 90)
	r1.Run, r2.Run, r2.Error = "run-1", "run-2", "stream ended"
	bash, edit := tool("t1", "bash", schema.StatusOK, 2, 4), tool("t2", "edit", schema.StatusError, 32, 33)
	bash.Run, edit.Run = "run-1", "run-2"
	u1, u2 := used("u1", "gpt-5", 5, schema.Tokens{Input: 100, Output: 7}), used("u2", "gpt-5", 35, schema.Tokens{Input: 1})
	u1.Run, u2.Run, u2.Total = "run-1", "run-2", 2
	long := strings.Repeat("wörter ", 100)
	growing := said("m3", schema.MessageAssistant, "run-2", "So far", 40)
	growing.Complete = false
	state := schema.StreamState{
		Title: "Fix it", Evidence: "its first line", Source: "agent --json", Tags: map[string]string{"k": "v"},
		FirstAt: at(0), LastAt: at(90), Frames: 40, Bytes: 4000, Ended: at(91), EndReason: "closed",
		Counters: schema.Counters{NotJSON: 1, InvalidUTF8: 2, Oversize: 3, Unknown: 4, Lost: 5, Repeated: 6, Back: 7},
	}
	part := state // what came later, in a part of its own
	part.FirstSeq, part.Version, part.FirstAt, part.LastAt = 900, 1, at(95), at(100)
	part.Ended, part.Counters = at(100), schema.Counters{Lost: 100}
	db.Add(
		querytest.Recording{Session: "s", Stream: 1, State: state,
			Spans:  []schema.Span{r1, r2, bash, edit},
			Usages: []schema.Usage{u1, u2},
			Messages: []schema.Message{
				said("q1", schema.MessageUser, "", "Please fix it", 0), // before the run was known
				said("m1", schema.MessageAssistant, "run-1", "Looking at it", 5),
				said("m2", schema.MessageReply, "run-1", long, 19),
				said("m4", schema.MessageAssistant, "run-1", "told after the whole reply", 19.5),
				said("q2", schema.MessageUser, "run-2", "And now?", 30),
				said("x", schema.MessageThinking, "run-2", "hm", 31),
				growing,
			},
		},
		querytest.Recording{Session: "s", Stream: 1, State: part},
		querytest.Recording{Session: "s", Stream: 2, State: schema.StreamState{Dialect: "openai-chat", Transport: schema.SSE, FirstAt: at(50), Frames: 1}, Live: true},
	)
	got := must[*query.SessionDetail](t)(reader(db, 1e6).Session(t.Context(), querytest.Tenant, "s"))
	spent := func(calls uint64, tokens query.Tokens, discrepancies uint64) query.Spent {
		return query.Spent{Calls: calls, UnpricedCalls: calls, Tokens: tokens, Discrepancies: discrepancies}
	}
	equal(t, "runs", []query.Run{
		{
			SpanID: "r1", RunID: "run-1", Started: when(1), Ended: ptr(when(20)), DurationMS: ptr(19000.0), Status: "ok", Agent: "main",
			Position: schema.Position{At: at(1), StreamID: querytest.StreamID(1)}.String(),
			Message:  ptr("Please fix it"), Reply: ptr(string([]rune(long)[:280]) + "…"),
			Tools: query.ToolCounts{Calls: 1}, Spent: spent(1, query.Tokens{Input: 100, Output: 7, Total: 107}, 0),
		},
		{
			SpanID: "r2", RunID: "run-2", Started: when(30), Status: "unclosed", Error: ptr("stream ended"), Agent: "main",
			Position: schema.Position{At: at(30), StreamID: querytest.StreamID(1), Seq: 1}.String(),
			Message:  ptr("And now?"), Reply: ptr("So far"),
			Tools: query.ToolCounts{Calls: 1, Errors: 1}, Spent: spent(1, query.Tokens{Input: 1, Total: 1}, 1),
		},
	}, got.Runs)
	equal(t, "streams", []query.Stream{
		{
			ID: querytest.StreamID(1), Transport: "ndjson", Dialect: "loom", Evidence: "its first line", Source: "agent --json",
			Tags: map[string]string{"k": "v"}, Title: "Fix it", FirstAt: when(0), LastAt: when(100), Frames: 80, Bytes: 8000,
			Ended: ptr(when(100)), EndReason: "closed",
			Counters: query.Counters{NotJSON: 1, InvalidUTF8: 2, Oversize: 3, Unknown: 4, Lost: 105, Repeated: 6, Back: 7},
		},
		{
			ID: querytest.StreamID(2), Transport: "sse", Dialect: "openai-chat", Tags: map[string]string{}, FirstAt: when(50), LastAt: when(50), Frames: 1,
			IsLost: true,
		},
	}, got.Streams)
	equal(t, "totals", query.Totals{
		Runs: 2, Streams: 2, Frames: 81, Bytes: 8000, Tools: query.ToolCounts{Calls: 2, Errors: 1},
		Spent: spent(2, query.Tokens{Input: 101, Output: 7, Total: 108}, 1),
	}, got.Totals)
	equal(t, "head", query.SessionHead{
		ID: "s", Started: when(0), Ended: ptr(when(100)), LastAt: when(100), DurationMS: 100000, Status: query.Incomplete, Title: "Fix it",
		End:    &query.SessionEnd{At: when(100), OffsetMS: 100000, Reason: query.EndClosed, Detail: "the recording was closed"},
		Frames: 81, Bytes: 8000, Tools: got.Totals.Tools, Dialects: []string{"loom", "openai-chat"}, Agents: []string{"main"},
		Models: []string{}, Tags: map[string]string{"k": "v"}, Spent: got.Totals.Spent,
	}, got.SessionHead)
	var codes []string
	for _, d := range got.Discrepancies {
		codes = append(codes, d.Code)
		if d.Count == 1 != strings.Contains(d.Detail, "1 ") && d.Code != query.UsageMismatch {
			t.Errorf("%+v: the sentence does not fit the count", d)
		}
	}
	equal(t, "discrepancies", "lost_at_source usage_total_mismatch unknown_type not_json invalid_utf8 oversize repeated_ids backward_ids unclosed_spans unpriced_calls",
		strings.Join(codes, " "))
	equal(t, "lost", query.Discrepancy{Code: "lost_at_source", Count: 105, Detail: "105 frames were lost at the source: ids are missing in its numbering."}, got.Discrepancies[0])
	equal(t, "unclosed", query.Discrepancy{Code: "unclosed_spans", Count: 1, Detail: "1 span never ended: its run or its stream ended first."}, got.Discrepancies[8])
}

func TestSessionThatIsNotThere(t *testing.T) {
	db := querytest.Open(t, localtest.ClickHouse(t))
	db.Add(querytest.Recording{Session: "theirs", Stream: 1, Tenant: "other", Frames: []schema.Frame{{At: at(0)}}})
	r := query.NewReader(db.Conn)
	ctx := t.Context()
	for name, ask := range map[string]func(session string) error{
		"session":  func(s string) error { _, err := r.Session(ctx, querytest.Tenant, s); return err },
		"timeline": func(s string) error { _, err := r.Timeline(ctx, querytest.Tenant, s); return err },
		"transcript": func(s string) error {
			_, err := r.Transcript(ctx, query.TranscriptQuery{Tenant: querytest.Tenant, Session: s, Limit: 1})
			return err
		},
		"frames": func(s string) error {
			_, err := r.Frames(ctx, query.FrameQuery{Tenant: querytest.Tenant, Session: s, Limit: 1})
			return err
		},
		"raw frames": func(s string) error {
			return r.RawFrames(ctx, query.FrameQuery{Tenant: querytest.Tenant, Session: s}, func(*query.RawFrame) error {
				t.Error("frames of a session of somebody else")
				return nil
			})
		},
		"delete": func(s string) error { return r.Delete(ctx, querytest.Tenant, s) },
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
	db := querytest.Open(t, localtest.ClickHouse(t))
	db.Merge() // a deletion is a mutation, which waits its turn with the merges
	rec := func(tenant, session string, stream int) querytest.Recording {
		return querytest.Recording{
			Tenant: tenant, Session: session, Stream: stream,
			Frames:   []schema.Frame{{At: at(0), Raw: []byte("{}\n")}, {Seq: 1, At: at(1), Raw: []byte("{}\n")}},
			Spans:    []schema.Span{tool("t", "bash", schema.StatusOK, 0, 1)},
			Messages: []schema.Message{said("m", schema.MessageUser, "", "hello", 0)},
			Usages:   []schema.Usage{used("u", "m", 0, schema.Tokens{Input: 1})},
		}
	}
	db.Add(rec("", "gone", 1), rec("", "gone", 2), rec("", "kept", 3), rec("other", "gone", 4))
	r := query.NewReader(db.Conn)
	if err := r.Delete(t.Context(), querytest.Tenant, "gone"); err != nil {
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
		equal(t, table, "acme/kept other/gone", strings.Join(left, " "))
	}
	if err := r.Delete(t.Context(), querytest.Tenant, "gone"); err == nil {
		t.Error("deleted twice without an error")
	}
	usage := must[*query.UsageReport](t)(r.Usage(t.Context(), query.UsageQuery{Tenant: querytest.Tenant}))
	tools := must[*query.ToolReport](t)(r.Tools(t.Context(), query.ToolQuery{Tenant: querytest.Tenant}))
	list := must[*query.Page[query.Session]](t)(r.Sessions(t.Context(), query.SessionQuery{Tenant: querytest.Tenant, Limit: 9}))
	if usage.Totals.Calls != 1 || tools.Totals.Calls != 1 || len(list.Items) != 1 {
		t.Errorf("%d calls, %d tool calls and %d sessions are left, want one of each", usage.Totals.Calls, tools.Totals.Calls, len(list.Items))
	}
	// What arrives late of a stream that began before is hidden; an import brings it back.
	db.Add(rec("", "gone", 5))
	if err := r.Delete(t.Context(), querytest.Tenant, "gone"); err == nil {
		t.Error("a stream that was late shows")
	}
	usage = must[*query.UsageReport](t)(r.Usage(t.Context(), query.UsageQuery{Tenant: querytest.Tenant}))
	tools = must[*query.ToolReport](t)(r.Tools(t.Context(), query.ToolQuery{Tenant: querytest.Tenant}))
	list = must[*query.Page[query.Session]](t)(r.Sessions(t.Context(), query.SessionQuery{Tenant: querytest.Tenant, Limit: 9}))
	if usage.Totals.Calls != 1 || tools.Totals.Calls != 1 || len(list.Items) != 1 {
		t.Errorf("%d calls, %d tool calls and %d sessions show, want one of each", usage.Totals.Calls, tools.Totals.Calls, len(list.Items))
	}
	db.Restore("gone", 5)
	if d := must[*query.SessionDetail](t)(r.Session(t.Context(), querytest.Tenant, "gone")); d.Frames != 2 {
		t.Errorf("%d frames after it was recorded anew, want 2", d.Frames)
	}
}
