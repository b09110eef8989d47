package sessionframes_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"tapedeck/internal/fulltest"
	"tapedeck/query"
	"tapedeck/query/querytest"
	"tapedeck/query/session/sessionframes"
	"tapedeck/schema"
)

func TestFrame(t *testing.T) {
	db := querytest.Open(t)
	full := querytest.Frame(0, 0, "message_chunk", "{\"type\":\"message_chunk\", \"n\":12345678901234567890}\r\n")
	full.Envelope = schema.Envelope{Type: "message_chunk", Session: "run-1", Run: "r", Node: "n", Agent: "a", EventID: "7"}
	text := querytest.Frame(1, 0.5, "", "not json\n")
	text.Flags = schema.FlagNotJSON
	blank := querytest.Frame(2, 0.6, "", "\n")
	blank.Flags = schema.FlagNote
	bytes := querytest.Frame(3, 0.75, "", "\"\xff\"\n")
	bytes.Flags = schema.FlagInvalidUTF8 | schema.FlagUnterminated
	event := querytest.Frame(0, 0.25, "delta", "event: delta\nid: 3\ndata: {\"a\":\ndata: 1}\n\n")
	event.Transport = schema.SSE
	comment := querytest.Frame(1, 0.3, "", ": ping\n\n")
	comment.Transport, comment.Flags = schema.SSE, schema.FlagNote
	sent := querytest.Frame(2, 0.4, "run", `{"type":"run"}`)
	sent.Transport, sent.Direction = schema.WebSocket, schema.Send
	db.Add(
		querytest.Recording{Session: "s", Stream: 1, State: schema.StreamState{Dialect: "loom"}, Frames: []schema.Frame{full, text, blank, bytes}},
		querytest.Recording{Session: "s", Stream: 2, State: schema.StreamState{Dialect: "openai-chat"}, Frames: []schema.Frame{event, comment, sent}},
	)
	page := querytest.Must[*query.Page[sessionframes.Frame]](t)(sessionframes.Read(t.Context(), query.NewReader(db.Conn), sessionframes.Query{Tenant: db.Tenant, Session: "s", Limit: 100}))
	one := func(seconds float64, stream int, seq uint64, size int) sessionframes.Frame {
		f := sessionframes.Frame{
			OffsetMS: seconds * 1000, CapturedAt: querytest.When(seconds), StreamID: querytest.StreamID(stream), Seq: seq, Size: size,
			Direction: "receive", Transport: "ndjson", Dialect: "loom", Flags: []string{},
		}
		f.Position = schema.Position{At: querytest.AtSecond(seconds), StreamID: f.StreamID, Seq: seq}.String()
		if stream == 2 {
			f.Transport, f.Dialect = "sse", "openai-chat"
		}
		return f
	}
	want := []sessionframes.Frame{
		one(0, 1, 0, 52), one(0.25, 2, 0, 41), one(0.3, 2, 1, 8), one(0.4, 2, 2, 14), one(0.5, 1, 1, 9), one(0.6, 1, 2, 1), one(0.75, 1, 3, 4),
	}
	want[0].Type, want[0].SessionID, want[0].RunID, want[0].NodeID, want[0].Agent, want[0].EventID = "message_chunk", "run-1", "r", "n", "a", "7"
	want[0].JSON = json.RawMessage(`{"type":"message_chunk", "n":12345678901234567890}`)
	want[1].Type, want[1].JSON = "delta", json.RawMessage("{\"a\":\n1}")
	want[2].Text, want[2].Flags = querytest.Ptr(": ping\n\n"), []string{"note"}
	want[3].Type, want[3].Transport, want[3].Direction, want[3].JSON = "run", "websocket", "send", json.RawMessage(`{"type":"run"}`)
	want[4].Text, want[4].Flags = querytest.Ptr("not json"), []string{"not_json"}
	want[5].Text, want[5].Flags = querytest.Ptr("\n"), []string{"note"}
	want[6].Base64, want[6].Flags = querytest.Ptr("Iv8i"), []string{"invalid_utf8", "unterminated"}
	querytest.Equal(t, "frames", want, page.Items)
}

// three streams of frames in turn, many of them at the same moment.
func interleaved(frames int) []querytest.Recording {
	recs := []querytest.Recording{{Session: "s", Stream: 1}, {Session: "s", Stream: 2}, {Session: "s", Stream: 3}}
	for i := range frames {
		r := &recs[i%3]
		f := querytest.Frame(uint64(i/3), float64(i/7)/10, []string{"chunk", "chunk", "usage", "tool"}[i%4], fmt.Sprintf("{\"n\":%d}\n", i))
		f.Agent, f.Node = []string{"a", "b"}[i%2], fmt.Sprintf("run-think-%d", i%5)
		if i%6 == 0 {
			f.Direction = schema.Send
		}
		r.Frames = append(r.Frames, f)
	}
	node := querytest.Span(schema.SpanNode, "n", "", "think", schema.StatusOK, 0, 1)
	node.Node = "run-think-2"
	recs[0].Spans = []schema.Span{node}
	return recs
}

func TestFramePages(t *testing.T) {
	fulltest.Long(t)
	const count = 41
	db := querytest.Open(t)
	recs := interleaved(count)
	db.Add(recs...)
	for i := range recs {
		// As it says of itself, so long that windows are looked for nearby first.
		recs[i].Session, recs[i].State.Frames = "long", 1e6
	}
	db.Add(recs...)
	db.Add(querytest.Recording{Session: "other", Stream: 1, Frames: []schema.Frame{querytest.Frame(0, 0, "chunk", "{}\n")}})
	r := query.NewReader(db.Conn)
	for _, tc := range []struct {
		name   string
		filter sessionframes.Filter
		want   func(i int) bool
	}{
		{"all", sessionframes.Filter{}, func(int) bool { return true }},
		{"a type", sessionframes.Filter{Types: []string{"usage"}}, func(i int) bool { return i%4 == 2 }},
		{"two types", sessionframes.Filter{Types: []string{"usage", "tool"}}, func(i int) bool { return i%4 >= 2 }},
		{"a type and an agent", sessionframes.Filter{Types: []string{"usage"}, Agents: []string{"b"}}, func(i int) bool { return i%4 == 2 && i%2 == 1 }},
		{"an agent", sessionframes.Filter{Agents: []string{"b"}}, func(i int) bool { return i%2 == 1 }},
		{"a node run", sessionframes.Filter{Nodes: []string{"run-think-4"}}, func(i int) bool { return i%5 == 4 }},
		{"a node", sessionframes.Filter{Nodes: []string{"think"}}, func(i int) bool { return i%5 == 2 }},
		{"a direction", sessionframes.Filter{Directions: []string{"send"}}, func(i int) bool { return i%6 == 0 }},
		{"a type that does not occur", sessionframes.Filter{Types: []string{"' OR 1=1"}}, func(int) bool { return false }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			want := 0
			for i := range count {
				if tc.want(i) {
					want++
				}
			}
			for _, limit := range []int{1, 8, count, count + 1} {
				q := sessionframes.Query{Tenant: db.Tenant, Session: "s", Filter: tc.filter, Limit: limit}
				if limit == 8 || limit == count {
					q.Session = "long"
				}
				var last schema.Position
				got := 0
				for {
					page := querytest.Must[*query.Page[sessionframes.Frame]](t)(sessionframes.Read(t.Context(), r, q))
					for _, f := range page.Items {
						pos := querytest.Must[schema.Position](t)(schema.ParsePosition(f.Position))
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
					q.After = querytest.Must[schema.Position](t)(schema.ParsePosition(*page.Next))
				}
				if got != want {
					t.Errorf("by %d: %d frames, want %d", limit, got, want)
				}
			}
			var raw strings.Builder
			err := sessionframes.ReadRaw(t.Context(), r, sessionframes.Query{Tenant: db.Tenant, Session: "s", Filter: tc.filter},
				func(f *sessionframes.RawFrame) error { raw.WriteString(f.Raw); return nil })
			if n := strings.Count(raw.String(), "\n"); err != nil || n != want {
				t.Errorf("as recorded: %d frames, %v, want %d", n, err, want)
			}
		})
	}
}

// A page of big frames ends before it grows too big, but holds one at least.
func TestFramePagesOfBigFrames(t *testing.T) {
	db := querytest.Open(t)
	big := strings.Repeat("x", 9<<20)
	db.Add(querytest.Recording{Session: "s", Stream: 1, Frames: []schema.Frame{
		querytest.Frame(0, 0, "", "small"), querytest.Frame(1, 1, "", big), querytest.Frame(2, 1, "", big+big), querytest.Frame(3, 2, "", big),
	}})
	r := query.NewReader(db.Conn)
	q := sessionframes.Query{Tenant: db.Tenant, Session: "s", Limit: 100}
	var got []string
	for {
		page := querytest.Must[*query.Page[sessionframes.Frame]](t)(sessionframes.Read(t.Context(), r, q))
		var seqs []string
		for _, f := range page.Items {
			seqs = append(seqs, fmt.Sprint(f.Seq))
		}
		got = append(got, strings.Join(seqs, "+"))
		if page.Next == nil {
			break
		}
		q.After = querytest.Must[schema.Position](t)(schema.ParsePosition(*page.Next))
	}
	querytest.Equal(t, "pages", "0+1 2 3", strings.Join(got, " "))
	size := 0
	if err := sessionframes.ReadRaw(t.Context(), r, q, func(f *sessionframes.RawFrame) error { size += len(f.Raw); return nil }); err != nil || size != 9<<20 {
		t.Errorf("after the last cursor: %d bytes, %v, want those of the last frame", size, err)
	}
}

func TestRawFramesEndsWithItsReader(t *testing.T) {
	db := querytest.Open(t)
	db.Add(interleaved(10)...)
	gone := errors.New("client is gone")
	n := 0
	err := sessionframes.ReadRaw(t.Context(), query.NewReader(db.Conn), sessionframes.Query{Tenant: db.Tenant, Session: "s"}, func(*sessionframes.RawFrame) error {
		n++
		return gone
	})
	if !errors.Is(err, gone) || n != 1 {
		t.Errorf("error %v after %d frames", err, n)
	}
}
