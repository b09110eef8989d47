package query_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"tapedeck/deploy/local/localtest"
	"tapedeck/query"
	"tapedeck/query/querytest"
	"tapedeck/schema"
)

// frame makes a frame of a stream.
func frame(seq uint64, seconds float64, kind, raw string) schema.Frame {
	return schema.Frame{Seq: seq, At: at(seconds), Raw: []byte(raw), Envelope: schema.Envelope{Type: kind}}
}

func TestFrame(t *testing.T) {
	db := querytest.Open(t, localtest.ClickHouse(t))
	full := frame(0, 0, "message_chunk", "{\"type\":\"message_chunk\", \"n\":12345678901234567890}\r\n")
	full.Envelope = schema.Envelope{Type: "message_chunk", Session: "run-1", Run: "r", Node: "n", Agent: "a", EventID: "7"}
	text := frame(1, 0.5, "", "not json\n")
	text.Flags = schema.FlagNotJSON
	blank := frame(2, 0.6, "", "\n")
	blank.Flags = schema.FlagNote
	bytes := frame(3, 0.75, "", "\"\xff\"\n")
	bytes.Flags = schema.FlagInvalidUTF8 | schema.FlagUnterminated
	event := frame(0, 0.25, "delta", "event: delta\nid: 3\ndata: {\"a\":\ndata: 1}\n\n")
	event.Transport = schema.SSE
	comment := frame(1, 0.3, "", ": ping\n\n")
	comment.Transport, comment.Flags = schema.SSE, schema.FlagNote
	sent := frame(2, 0.4, "run", `{"type":"run"}`)
	sent.Transport, sent.Direction = schema.WebSocket, schema.Send
	db.Add(
		querytest.Recording{Session: "s", Stream: 1, State: schema.StreamState{Dialect: "loom"}, Frames: []schema.Frame{full, text, blank, bytes}},
		querytest.Recording{Session: "s", Stream: 2, State: schema.StreamState{Dialect: "openai-chat"}, Frames: []schema.Frame{event, comment, sent}},
	)
	page := must[*query.Page[query.Frame]](t)(query.NewReader(db.Conn).Frames(t.Context(), query.FrameQuery{Tenant: querytest.Tenant, Session: "s", Limit: 100}))
	one := func(seconds float64, stream int, seq uint64, size int) query.Frame {
		f := query.Frame{
			OffsetMS: seconds * 1000, CapturedAt: when(seconds), StreamID: querytest.StreamID(stream), Seq: seq, Size: size,
			Direction: "receive", Transport: "ndjson", Dialect: "loom", Flags: []string{},
		}
		f.Position = schema.Position{At: at(seconds), StreamID: f.StreamID, Seq: seq}.String()
		if stream == 2 {
			f.Transport, f.Dialect = "sse", "openai-chat"
		}
		return f
	}
	want := []query.Frame{
		one(0, 1, 0, 52), one(0.25, 2, 0, 41), one(0.3, 2, 1, 8), one(0.4, 2, 2, 14), one(0.5, 1, 1, 9), one(0.6, 1, 2, 1), one(0.75, 1, 3, 4),
	}
	want[0].Type, want[0].SessionID, want[0].RunID, want[0].NodeID, want[0].Agent, want[0].EventID = "message_chunk", "run-1", "r", "n", "a", "7"
	want[0].JSON = json.RawMessage(`{"type":"message_chunk", "n":12345678901234567890}`)
	want[1].Type, want[1].JSON = "delta", json.RawMessage("{\"a\":\n1}")
	want[2].Text, want[2].Flags = ptr(": ping\n\n"), []string{"note"}
	want[3].Type, want[3].Transport, want[3].Direction, want[3].JSON = "run", "websocket", "send", json.RawMessage(`{"type":"run"}`)
	want[4].Text, want[4].Flags = ptr("not json"), []string{"not_json"}
	want[5].Text, want[5].Flags = ptr("\n"), []string{"note"}
	want[6].Base64, want[6].Flags = ptr("Iv8i"), []string{"invalid_utf8", "unterminated"}
	equal(t, "frames", want, page.Items)
}

// three streams of frames in turn, many of them at the same moment.
func interleaved(frames int) []querytest.Recording {
	recs := []querytest.Recording{{Session: "s", Stream: 1}, {Session: "s", Stream: 2}, {Session: "s", Stream: 3}}
	for i := range frames {
		r := &recs[i%3]
		f := frame(uint64(i/3), float64(i/7)/10, []string{"chunk", "chunk", "usage", "tool"}[i%4], fmt.Sprintf("{\"n\":%d}\n", i))
		f.Agent, f.Node = []string{"a", "b"}[i%2], fmt.Sprintf("run-think-%d", i%5)
		if i%6 == 0 {
			f.Direction = schema.Send
		}
		r.Frames = append(r.Frames, f)
	}
	node := span(schema.SpanNode, "n", "", "think", schema.StatusOK, 0, 1)
	node.Node = "run-think-2"
	recs[0].Spans = []schema.Span{node}
	return recs
}

func TestFramePages(t *testing.T) {
	const count = 41
	db := querytest.Open(t, localtest.ClickHouse(t))
	recs := interleaved(count)
	db.Add(recs...)
	for i := range recs {
		// As it says of itself, so long that windows are looked for nearby first.
		recs[i].Session, recs[i].State.Frames = "long", 1e6
	}
	db.Add(recs...)
	db.Add(querytest.Recording{Session: "other", Stream: 1, Frames: []schema.Frame{frame(0, 0, "chunk", "{}\n")}})
	r := query.NewReader(db.Conn)
	for _, tc := range []struct {
		name   string
		filter query.FrameFilter
		want   func(i int) bool
	}{
		{"all", query.FrameFilter{}, func(int) bool { return true }},
		{"a type", query.FrameFilter{Types: []string{"usage"}}, func(i int) bool { return i%4 == 2 }},
		{"two types", query.FrameFilter{Types: []string{"usage", "tool"}}, func(i int) bool { return i%4 >= 2 }},
		{"a type and an agent", query.FrameFilter{Types: []string{"usage"}, Agents: []string{"b"}}, func(i int) bool { return i%4 == 2 && i%2 == 1 }},
		{"an agent", query.FrameFilter{Agents: []string{"b"}}, func(i int) bool { return i%2 == 1 }},
		{"a node run", query.FrameFilter{Nodes: []string{"run-think-4"}}, func(i int) bool { return i%5 == 4 }},
		{"a node", query.FrameFilter{Nodes: []string{"think"}}, func(i int) bool { return i%5 == 2 }},
		{"a direction", query.FrameFilter{Directions: []string{"send"}}, func(i int) bool { return i%6 == 0 }},
		{"a type that does not occur", query.FrameFilter{Types: []string{"' OR 1=1"}}, func(int) bool { return false }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			want := 0
			for i := range count {
				if tc.want(i) {
					want++
				}
			}
			for _, limit := range []int{1, 8, count, count + 1} {
				q := query.FrameQuery{Tenant: querytest.Tenant, Session: "s", FrameFilter: tc.filter, Limit: limit}
				if limit == 8 || limit == count {
					q.Session = "long"
				}
				var last schema.Position
				got := 0
				for {
					page := must[*query.Page[query.Frame]](t)(r.Frames(t.Context(), q))
					for _, f := range page.Items {
						pos := must[schema.Position](t)(schema.ParsePosition(f.Position))
						if !last.IsZero() && pos.Compare(last) <= 0 {
							t.Fatalf("by %d: %s comes after %s", limit, pos, last)
						}
						var body struct{ N int }
						if err := json.Unmarshal(f.JSON, &body); err != nil || !tc.want(body.N) {
							t.Fatalf("by %d: frame %d is not asked for (%v)", limit, body.N, err)
						}
						last = pos
						got++
					}
					if page.Next == nil {
						break
					}
					if len(page.Items) != limit {
						t.Fatalf("a page of %d with another after it, limit %d", len(page.Items), limit)
					}
					q.After = must[schema.Position](t)(schema.ParsePosition(*page.Next))
				}
				if got != want {
					t.Errorf("by %d: %d frames, want %d", limit, got, want)
				}
			}
			var raw strings.Builder
			err := r.RawFrames(t.Context(), query.FrameQuery{Tenant: querytest.Tenant, Session: "s", FrameFilter: tc.filter},
				func(f *query.RawFrame) error { raw.WriteString(f.Raw); return nil })
			if n := strings.Count(raw.String(), "\n"); err != nil || n != want {
				t.Errorf("as recorded: %d frames, %v, want %d", n, err, want)
			}
		})
	}
}

// A page of big frames ends before it grows too big, but holds one at least.
func TestFramePagesOfBigFrames(t *testing.T) {
	db := querytest.Open(t, localtest.ClickHouse(t))
	big := strings.Repeat("x", 9<<20)
	db.Add(querytest.Recording{Session: "s", Stream: 1, Frames: []schema.Frame{
		frame(0, 0, "", "small"), frame(1, 1, "", big), frame(2, 1, "", big+big), frame(3, 2, "", big),
	}})
	r := query.NewReader(db.Conn)
	q := query.FrameQuery{Tenant: querytest.Tenant, Session: "s", Limit: 100}
	var got []string
	for {
		page := must[*query.Page[query.Frame]](t)(r.Frames(t.Context(), q))
		var seqs []string
		for _, f := range page.Items {
			seqs = append(seqs, fmt.Sprint(f.Seq))
		}
		got = append(got, strings.Join(seqs, "+"))
		if page.Next == nil {
			break
		}
		q.After = must[schema.Position](t)(schema.ParsePosition(*page.Next))
	}
	equal(t, "pages", "0+1 2 3", strings.Join(got, " "))
	size := 0
	if err := r.RawFrames(t.Context(), q, func(f *query.RawFrame) error { size += len(f.Raw); return nil }); err != nil || size != 9<<20 {
		t.Errorf("after the last cursor: %d bytes, %v, want those of the last frame", size, err)
	}
}

func TestRawFramesEndsWithItsReader(t *testing.T) {
	db := querytest.Open(t, localtest.ClickHouse(t))
	db.Add(interleaved(10)...)
	gone := errors.New("client is gone")
	n := 0
	err := query.NewReader(db.Conn).RawFrames(t.Context(), query.FrameQuery{Tenant: querytest.Tenant, Session: "s"}, func(*query.RawFrame) error {
		n++
		return gone
	})
	if !errors.Is(err, gone) || n != 1 {
		t.Errorf("error %v after %d frames", err, n)
	}
}
