package query_test

import (
	"slices"
	"strings"
	"testing"

	"tapedeck/deploy/local/localtest"
	"tapedeck/query"
	"tapedeck/query/querytest"
	"tapedeck/schema"
)

func TestTranscript(t *testing.T) {
	db := querytest.Open(t, localtest.ClickHouse(t))
	answer := said("m2", schema.MessageAssistant, "run-1", "Grüße!", 2)
	answer.ChunkAt, answer.ChunkEnd = []int64{at(2), at(2.5)}, []uint32{3, 8}
	answer.Ended, answer.Span, answer.Node, answer.Attributes = at(2.5), "llm", "run-think-0", `{"citations":[1]}`
	partial := said("m2", schema.MessageAssistant, "run-1", "Grüße! and more, but from a stream that was cut off", 2)
	partial.Complete = false
	result := said("m4", schema.MessageResult, "run-1", `{"ok":true}`, 4)
	result.Name, result.Media, result.Span, result.SeenSeq = "bash", "json", "tool", 7
	growing := said("m5", schema.MessageAssistant, "", "so fa", 5)
	growing.Complete = false
	newer := growing
	newer.Text, newer.Version, newer.Ended = "so far", 900, at(6)
	db.Add(
		querytest.Recording{Session: "s", Stream: 2, Messages: []schema.Message{
			partial,
			{Fact: schema.Fact{ID: "m3", SeenSeq: 9}, Kind: schema.MessageArguments, Text: "second of one frame", Started: at(3)},
			{Fact: schema.Fact{ID: "m9", SeenSeq: 8}, Kind: schema.MessageArguments, Text: "first of one frame", Started: at(3)},
			growing,
		}},
		querytest.Recording{Session: "s", Stream: 1, Messages: []schema.Message{answer, result, said("m1", schema.MessageUser, "run-1", "Hallo?", 0)}},
		querytest.Recording{Session: "s", Stream: 2, State: schema.StreamState{Version: 2}, Messages: []schema.Message{{}, {}, {}, newer}[3:]},
		querytest.Recording{Session: "other", Stream: 3, Messages: []schema.Message{said("m1", schema.MessageUser, "", "not this", 0)}},
	)
	r := query.NewReader(db.Conn)
	whole := must[*query.Page[query.Message]](t)(r.Transcript(t.Context(), query.TranscriptQuery{Tenant: querytest.Tenant, Session: "s", Limit: 100, Chunks: true}))
	var got []string
	for _, m := range whole.Items {
		got = append(got, m.Kind+": "+m.Text)
	}
	equal(t, "messages", lines(
		"user: Hallo?", "assistant: Grüße!", "tool_arguments: first of one frame", "tool_arguments: second of one frame",
		`tool_result: {"ok":true}`, "assistant: so far"), strings.Join(got, "\n"))
	pos := func(seconds float64, stream int, seq uint64) string {
		return schema.Position{At: at(seconds), StreamID: querytest.StreamID(stream), Seq: seq}.String()
	}
	equal(t, "an answer", query.Message{
		ID: "m2", Kind: "assistant", Text: "Grüße!", Media: "text", Started: when(2), StartMS: 2000, Ended: ptr(when(2.5)), Complete: true,
		Position: pos(2, 1, 0), SpanID: "llm", RunID: "run-1", NodeID: "run-think-0", Agent: "main",
		Attributes: []byte(`{"citations":[1]}`), Chunks: &query.Chunks{OffsetMS: []float64{2000, 2500}, End: []uint32{3, 8}},
	}, whole.Items[1])
	equal(t, "a result, in one piece", query.Message{
		ID: "m4", Kind: "tool_result", Text: `{"ok":true}`, Media: "json", Started: when(4), StartMS: 4000, Ended: ptr(when(4)), Complete: true,
		Position: pos(4, 1, 7), Name: "bash", SpanID: "tool", RunID: "run-1", Agent: "main",
		Chunks: &query.Chunks{OffsetMS: []float64{4000}, End: []uint32{11}},
	}, whole.Items[4])
	since := must[*query.Page[query.Message]](t)(r.Transcript(t.Context(), query.TranscriptQuery{
		Tenant: querytest.Tenant, Session: "s", Limit: 100, Since: when(2.5), Chunks: true,
	}))
	equal(t, "what may have changed since", append(whole.Items[1:2:2], whole.Items[2:]...), since.Items)
	later := must[*query.Page[query.Message]](t)(r.Transcript(t.Context(), query.TranscriptQuery{
		Tenant: querytest.Tenant, Session: "s", Limit: 100, Since: when(60), Chunks: true,
	}))
	for _, m := range later.Items {
		if m.Complete {
			t.Errorf("nothing changed in %+v", m)
		}
	}
	if !slices.ContainsFunc(later.Items, func(m query.Message) bool { return m.ID == "m5" }) {
		t.Errorf("the message that still grows is not among %+v", later.Items)
	}
	if last := whole.Items[5]; last.Complete || !last.Ended.Equal(when(6)) {
		t.Errorf("the growing message: %+v", last)
	}

	for _, limit := range []int{1, 2, 4, 6} {
		var paged []query.Message
		q := query.TranscriptQuery{Tenant: querytest.Tenant, Session: "s", Limit: limit, Chunks: true}
		for {
			page := must[*query.Page[query.Message]](t)(r.Transcript(t.Context(), q))
			paged = append(paged, page.Items...)
			if page.Next == nil {
				break
			}
			q.Cursor = *page.Next
		}
		equal(t, "in pages", whole.Items, paged)
	}
	bare := must[*query.Page[query.Message]](t)(r.Transcript(t.Context(), query.TranscriptQuery{Tenant: querytest.Tenant, Session: "s", Limit: 100}))
	for i := range bare.Items {
		if bare.Items[i].Chunks != nil {
			t.Errorf("%s has chunks that nobody asked for", bare.Items[i].ID)
		}
	}
}

// A page of long messages ends before it grows too big, but holds one at least.
func TestTranscriptOfLongMessages(t *testing.T) {
	db := querytest.Open(t, localtest.ClickHouse(t))
	long := strings.Repeat("x", 10<<20)
	rec := querytest.Recording{Session: "s", Stream: 1}
	for i, id := range []string{"a", "b", "c"} {
		rec.Messages = append(rec.Messages, said(id, schema.MessageResult, "", long, float64(i)))
	}
	rec.Messages[1].Text += long
	db.Add(rec)
	r := query.NewReader(db.Conn)
	q := query.TranscriptQuery{Tenant: querytest.Tenant, Session: "s", Limit: 100}
	for _, want := range []string{"a", "b", "c"} {
		page := must[*query.Page[query.Message]](t)(r.Transcript(t.Context(), q))
		if len(page.Items) != 1 || page.Items[0].ID != want || (page.Next == nil) != (want == "c") {
			t.Fatalf("a page of %d, want %s alone", len(page.Items), want)
		}
		if want != "c" {
			q.Cursor = *page.Next
		}
	}
}
