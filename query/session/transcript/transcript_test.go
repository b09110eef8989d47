package transcript_test

import (
	"slices"
	"strings"
	"testing"

	"tapedeck/query"
	"tapedeck/query/querytest"
	"tapedeck/query/session/transcript"
	"tapedeck/schema"
)

func TestTranscript(t *testing.T) {
	db := querytest.Open(t)
	answer := querytest.Said("m2", schema.MessageAssistant, "run-1", "Grüße!", 2)
	answer.ChunkAt, answer.ChunkEnd = []int64{querytest.AtSecond(2), querytest.AtSecond(2.5)}, []uint32{3, 8}
	answer.Ended, answer.Span, answer.Node, answer.Attributes = querytest.AtSecond(2.5), "llm", "run-think-0", `{"citations":[1]}`
	partial := querytest.Said("m2", schema.MessageAssistant, "run-1", "Grüße! and more, but from a stream that was cut off", 2)
	partial.Complete = false
	result := querytest.Said("m4", schema.MessageResult, "run-1", `{"ok":true}`, 4)
	result.Name, result.Media, result.Span, result.SeenSeq = "bash", "json", "tool", 7
	growing := querytest.Said("m5", schema.MessageAssistant, "", "so fa", 5)
	growing.Complete = false
	newer := growing
	newer.Text, newer.Version, newer.Ended = "so far", 900, querytest.AtSecond(6)
	db.Add(
		querytest.Recording{Session: "s", Stream: 2, Messages: []schema.Message{
			partial,
			{Fact: schema.Fact{ID: "m3", SeenSeq: 9}, Kind: schema.MessageArguments, Text: "second of one frame", Started: querytest.AtSecond(3)},
			{Fact: schema.Fact{ID: "m9", SeenSeq: 8}, Kind: schema.MessageArguments, Text: "first of one frame", Started: querytest.AtSecond(3)},
			growing,
		}},
		querytest.Recording{Session: "s", Stream: 1, Messages: []schema.Message{answer, result, querytest.Said("m1", schema.MessageUser, "run-1", "Hallo?", 0)}},
		querytest.Recording{Session: "s", Stream: 2, State: schema.StreamState{Version: 2}, Messages: []schema.Message{{}, {}, {}, newer}[3:]},
		querytest.Recording{Session: "other", Stream: 3, Messages: []schema.Message{querytest.Said("m1", schema.MessageUser, "", "not this", 0)}},
	)
	r := query.NewReader(db.Conn)
	whole := querytest.Must[*query.Page[transcript.Message]](t)(transcript.Read(t.Context(), r, transcript.Query{Tenant: db.Tenant, Session: "s", Limit: 100, Chunks: true}))
	var got []string
	for _, m := range whole.Items {
		got = append(got, m.Kind+": "+m.Text)
	}
	querytest.Equal(t, "messages", querytest.Lines(
		"user: Hallo?", "assistant: Grüße!", "tool_arguments: first of one frame", "tool_arguments: second of one frame",
		`tool_result: {"ok":true}`, "assistant: so far"), strings.Join(got, "\n"))
	pos := func(seconds float64, stream int, seq uint64) string {
		return schema.Position{At: querytest.AtSecond(seconds), StreamID: querytest.StreamID(stream), Seq: seq}.String()
	}
	querytest.Equal(t, "an answer", transcript.Message{
		ID: "m2", Kind: "assistant", Text: "Grüße!", Media: "text", Started: querytest.When(2), StartMS: 2000, Ended: querytest.Ptr(querytest.When(2.5)), Complete: true,
		Position: pos(2, 1, 0), SpanID: "llm", RunID: "run-1", NodeID: "run-think-0", Agent: "main",
		Attributes: []byte(`{"citations":[1]}`), Chunks: &transcript.Chunks{OffsetMS: []float64{2000, 2500}, End: []uint32{3, 8}},
	}, whole.Items[1])
	querytest.Equal(t, "a result, in one piece", transcript.Message{
		ID: "m4", Kind: "tool_result", Text: `{"ok":true}`, Media: "json", Started: querytest.When(4), StartMS: 4000, Ended: querytest.Ptr(querytest.When(4)), Complete: true,
		Position: pos(4, 1, 7), Name: "bash", SpanID: "tool", RunID: "run-1", Agent: "main",
		Chunks: &transcript.Chunks{OffsetMS: []float64{4000}, End: []uint32{11}},
	}, whole.Items[4])
	since := querytest.Must[*query.Page[transcript.Message]](t)(transcript.Read(t.Context(), r, transcript.Query{
		Tenant: db.Tenant, Session: "s", Limit: 100, Since: querytest.When(2.5), Chunks: true,
	}))
	querytest.Equal(t, "what may have changed since", append(whole.Items[1:2:2], whole.Items[2:]...), since.Items)
	later := querytest.Must[*query.Page[transcript.Message]](t)(transcript.Read(t.Context(), r, transcript.Query{
		Tenant: db.Tenant, Session: "s", Limit: 100, Since: querytest.When(60), Chunks: true,
	}))
	for _, m := range later.Items {
		if m.Complete {
			t.Errorf("nothing changed in %+v", m)
		}
	}
	if !slices.ContainsFunc(later.Items, func(m transcript.Message) bool { return m.ID == "m5" }) {
		t.Errorf("the message that still grows is not among %+v", later.Items)
	}
	if last := whole.Items[5]; last.Complete || !last.Ended.Equal(querytest.When(6)) {
		t.Errorf("the growing message: %+v", last)
	}

	for _, limit := range []int{1, 2, 4, 6} {
		var paged []transcript.Message
		q := transcript.Query{Tenant: db.Tenant, Session: "s", Limit: limit, Chunks: true}
		for {
			page := querytest.Must[*query.Page[transcript.Message]](t)(transcript.Read(t.Context(), r, q))
			paged = append(paged, page.Items...)
			if page.Next == nil {
				break
			}
			q.Cursor = *page.Next
		}
		querytest.Equal(t, "in pages", whole.Items, paged)
	}
	bare := querytest.Must[*query.Page[transcript.Message]](t)(transcript.Read(t.Context(), r, transcript.Query{Tenant: db.Tenant, Session: "s", Limit: 100}))
	for i := range bare.Items {
		if bare.Items[i].Chunks != nil {
			t.Errorf("%s has chunks that nobody asked for", bare.Items[i].ID)
		}
	}
}

// A page of long messages ends before it grows too big, but holds one at least.
func TestTranscriptOfLongMessages(t *testing.T) {
	db := querytest.Open(t)
	long := strings.Repeat("x", 10<<20)
	rec := querytest.Recording{Session: "s", Stream: 1}
	for i, id := range []string{"a", "b", "c"} {
		rec.Messages = append(rec.Messages, querytest.Said(id, schema.MessageResult, "", long, float64(i)))
	}
	rec.Messages[1].Text += long
	db.Add(rec)
	r := query.NewReader(db.Conn)
	q := transcript.Query{Tenant: db.Tenant, Session: "s", Limit: 100}
	for _, want := range []string{"a", "b", "c"} {
		page := querytest.Must[*query.Page[transcript.Message]](t)(transcript.Read(t.Context(), r, q))
		if len(page.Items) != 1 || page.Items[0].ID != want || (page.Next == nil) != (want == "c") {
			t.Fatalf("a page of %d, want %s alone", len(page.Items), want)
		}
		if want != "c" {
			q.Cursor = *page.Next
		}
	}
}
