package sessionframes_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"tapedeck/query"
	"tapedeck/query/querytest"
	"tapedeck/query/session/sessionframes"
	"tapedeck/schema"
)

// A page asked for by any mark holds the frames that come at its place in the
// whole list.
func TestFrameIndex(t *testing.T) {
	const count = 41
	db := querytest.New(t)
	recs := interleaved(count)
	db.Add(recs...)
	db.Add(recs...) // once more: the same frames
	db.Add(querytest.Recording{Session: "other", Stream: 1, Frames: []schema.Frame{querytest.Frame(0, 0, "chunk", "{}\n")}})
	t.Run("repeated", func(t *testing.T) { checkFrameIndex(t, query.NewReader(db.Conn)) })
	db.Merge()
	db.Exec("OPTIMIZE TABLE frames FINAL")
	t.Run("merged", func(t *testing.T) { checkFrameIndex(t, query.NewReader(db.Conn)) })
}

func checkFrameIndex(t *testing.T, r *query.Reader) {
	for name, filter := range map[string]sessionframes.Filter{
		"all":                      {},
		"a type":                   {Types: []string{"usage"}},
		"a direction":              {Directions: []string{"send"}},
		"a node and two types":     {Nodes: []string{"think"}, Types: []string{"chunk", "tool"}},
		"a type that is not there": {Types: []string{"none"}},
	} {
		t.Run(name, func(t *testing.T) {
			q := sessionframes.Query{Tenant: querytest.Tenant, Session: "s", Filter: filter, Limit: 1000}
			all := querytest.Must[*query.Page[sessionframes.Frame]](t)(sessionframes.Read(t.Context(), r, q)).Items
			for _, every := range []int{1, 4, 41, 1000} {
				index := querytest.Must[*sessionframes.Index](t)(sessionframes.ReadIndex(t.Context(), r, q, every))
				if index.Total != uint64(len(all)) || index.Every != every || len(index.Items) != max(len(all)-1, 0)/every {
					t.Fatalf("every %d of %d: %+v", every, len(all), index)
				}
				for i, mark := range index.Items {
					at := all[(i+1)*every-1]
					querytest.Equal(t, fmt.Sprintf("mark %d by %d", i, every), sessionframes.Mark{Position: at.Position, OffsetMS: at.OffsetMS}, mark)
				}
			}
		})
	}
}

func TestFrameTypes(t *testing.T) {
	db := querytest.Open(t)
	recs := interleaved(24)
	db.Add(recs...)
	db.Add(recs...)
	types := querytest.Must[*sessionframes.Types](t)(sessionframes.ReadTypes(t.Context(), query.NewReader(db.Conn), db.Tenant, "s"))
	querytest.Equal(t, "types", []sessionframes.Type{
		{Type: "chunk", Direction: "receive", Frames: 10}, {Type: "tool", Direction: "receive", Frames: 6},
		{Type: "usage", Direction: "receive", Frames: 4}, {Type: "chunk", Direction: "send", Frames: 2}, {Type: "usage", Direction: "send", Frames: 2},
	}, types.Items)
}

func TestWholeFrame(t *testing.T) {
	db := querytest.Open(t)
	raw := "event: a\r\ndata: {\"é\":1}\r\n\r\n"
	cut := querytest.Frame(0, 1, "a", raw)
	cut.Transport = schema.SSE
	cut.Cuts = []schema.Cut{{Offset: 4, At: querytest.AtSecond(0.25)}, {Offset: 20, At: querytest.AtSecond(0.75)}}
	first := querytest.Frame(1, 0, "", "\xff\x00\n")
	first.Flags = schema.FlagInvalidUTF8 | schema.FlagNUL
	db.Add(querytest.Recording{Session: "s", Stream: 1, State: schema.StreamState{Dialect: "openai-chat"}, Frames: []schema.Frame{cut, first}})
	r := query.NewReader(db.Conn)
	stream := querytest.StreamID(1)
	get := func(seconds float64, seq uint64) (*sessionframes.WholeFrame, error) {
		return sessionframes.ReadOne(t.Context(), r, db.Tenant, "s", schema.Position{At: querytest.AtSecond(seconds), StreamID: stream, Seq: seq})
	}
	f := querytest.Must[*sessionframes.WholeFrame](t)(get(1, 0))
	querytest.Equal(t, "bytes", raw, string(f.Raw))
	querytest.Equal(t, "cuts", []sessionframes.Cut{{Bytes: 4, OffsetMS: 250}, {Bytes: 20, OffsetMS: 750}}, f.Cuts)
	querytest.Equal(t, "what it says", json.RawMessage(`{"é":1}`), f.JSON)
	querytest.Equal(t, "dialect", "openai-chat", f.Dialect)
	f = querytest.Must[*sessionframes.WholeFrame](t)(get(0, 1))
	querytest.Equal(t, "bytes that are no text", "\xff\x00\n", string(f.Raw))
	querytest.Equal(t, "cuts of one that came at once", []sessionframes.Cut{}, f.Cuts)
	for _, none := range []struct {
		seconds float64
		seq     uint64
	}{{1, 1}, {0, 7}} {
		if f, err := get(none.seconds, none.seq); err == nil {
			t.Errorf("a frame where there is none: %+v", f)
		}
	}
}

// BenchmarkFrameIndex goes over one session of a million frames of four streams.
// Engine CPU time of all, in one run, when repeats were always looked for and the
// window was one of values, and now: 404 and 140 ms, of which reading the keys is 87.
func BenchmarkFrameIndex(b *testing.B) {
	db := querytest.New(b)
	db.Exec(`INSERT INTO frames (tenant, session_id, stream_id, seq, stream_started, captured_at, direction, transport, type, raw)
	SELECT 'acme', 'big', '019cad0a-0000-7000-8000-00000000000' || toString(number % 4), intDiv(number, 4),
		toDateTime('2026-03-02 10:00:00', 'UTC'), toDateTime64('2026-03-02 10:00:00', 9, 'UTC') + number / 1000,
		'receive', 'ndjson', ['message_chunk', 'tool_call', 'usage'][1 + least(2, intDiv(number / 2 % 1000, 499))],
		'{"type":"message_chunk","content":"' || toString(cityHash64(number)) || ' words","event_id":' || toString(number) || '}\n'
	FROM numbers(1000000)`)
	db.Exec(`INSERT INTO streams (tenant, session_id, stream_id, first_seq, stream_started, version, transport, dialect, first_at, last_at, frames, bytes, ended)
	SELECT tenant, session_id, stream_id, 0, min(stream_started), 1, 'ndjson', 'loom', min(captured_at), max(captured_at), count(), sum(length(raw)), max(captured_at)
	FROM frames GROUP BY tenant, session_id, stream_id`)
	r := query.NewReader(db.Conn)
	for _, bm := range []struct {
		name   string
		filter sessionframes.Filter
	}{{"all", sessionframes.Filter{}}, {"a rare type", sessionframes.Filter{Types: []string{"usage"}}}} {
		b.Run(bm.name, func(b *testing.B) {
			ctx := querytest.WithEngineCPU(b, b.Context())
			for b.Loop() {
				index, err := sessionframes.ReadIndex(ctx, r, sessionframes.Query{Tenant: db.Tenant, Session: "big", Filter: bm.filter}, 500)
				if err != nil || index.Total == 0 {
					b.Fatal(index, err)
				}
			}
		})
	}
	b.Run("types", func(b *testing.B) {
		for b.Loop() {
			if types, err := sessionframes.ReadTypes(b.Context(), r, db.Tenant, "big"); err != nil || len(types.Items) != 3 {
				b.Fatal(types, err)
			}
		}
	})
}
