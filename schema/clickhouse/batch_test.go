package clickhouse_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"tapedeck/internal/local/localtest"
	"tapedeck/schema"
	"tapedeck/schema/block"
	"tapedeck/schema/clickhouse"
)

const streamID = "019aa2c4-8000-7abc-8def-0123456789ab" // 2025-11-20T19:36:18.432Z

// everything is a block in which every field says something.
func everything() *block.Block {
	fact := func(id string) schema.Fact {
		return schema.Fact{ID: id, Session: "own", Run: "run-1", Node: "node-1", Agent: "react", SeenAt: 1763683200_000000001, SeenSeq: 6, Version: 7}
	}
	return &block.Block{
		Tenant: "not believed", Session: "sess-1",
		State: schema.StreamState{
			StreamID: streamID, FirstSeq: 3, Transport: schema.SSE, Dialect: "loom", Evidence: "why", Source: "a file",
			Tags: map[string]string{"k": "v"}, Title: "question", FirstAt: 1763683200_000000001, LastAt: 1763683201_000000002,
			Frames: 3, Bytes: 4, Ended: 1763683202_000000003, EndReason: "eof", Recorder: "r1", Digest: "d1", Key: "k1", DecoderVersion: 8, Redacted: map[string]uint64{"jwt": 2},
			Limits:   `[{"name":"primary"}]`,
			Counters: schema.Counters{NotJSON: 1, InvalidUTF8: 2, Oversize: 3, Unknown: 4, Lost: 5, Repeated: 6, Back: 7}, Version: 9,
		},
		Frames: []schema.Frame{{
			Seq: 5, At: 1763683200_123456789, Direction: schema.Send, Transport: schema.WebSocket,
			Flags: schema.FlagNotJSON | schema.FlagJoined, Raw: []byte("\x00\xff raw\n"),
			Cuts:     []schema.Cut{{Offset: 3, At: 1763683200_123456000}},
			Envelope: schema.Envelope{Type: "t", Session: "own", Run: "run-1", Node: "node-1", Agent: "react", EventID: "e1"},
		}},
		Facts: block.Facts{
			Spans: []schema.Span{{
				Fact: fact("tool:1"), Kind: schema.SpanTool, Parent: "node:1", Name: "read", Status: schema.StatusError,
				Started: 1763683200_000000001, Ended: 1763683200_000000002, FirstToken: 1763683200_000000003, Duration: 4,
				CallID: "c1", Model: "m", Provider: "p", Error: "boom", Attributes: `{"a":1}`,
			}},
			Messages: []schema.Message{{
				Fact: fact("message:1"), Kind: schema.MessageReply, Span: "run:1", Name: "n", Text: "héllo", Media: "text", Complete: true,
				Started: 1763683200_000000001, Ended: 1763683200_000000002, ChunkAt: []int64{1, 2}, ChunkEnd: []uint32{3, 6}, Attributes: "{}",
			}},
			Usages: []schema.Usage{{
				Fact: fact("usage:1"), Scope: "call", Mode: schema.UsageRunning, At: 1763683200_000000005, Span: "llm:1", Model: "m", Provider: "p",
				Tokens: schema.Tokens{Input: 1, CacheRead: 2, CacheWrite5m: 3, CacheWrite1h: 4, Output: 5, Reasoning: 6}, Total: 22, Raw: `{"u":1}`,
				Billing: schema.Billing{
					RequestedModel: "rm", ServiceTier: "flex", Speed: "fast", Region: "eu", Cost: "0.0125", Currency: "USD",
					RequestID: "req_1", MessageID: "msg_1",
					Parts: schema.TokenParts{
						Input: schema.Modalities{Text: 1, Audio: 2, Image: 3, Video: 4}, CacheRead: schema.Modalities{Text: 5, Audio: 6, Image: 7, Video: 8},
						Output: schema.Modalities{Text: 9, Audio: 10, Image: 11, Video: 12},
					},
					Tools: schema.ToolUses{WebSearches: 13, WebFetches: 14, CodeExecutions: 15},
				},
			}},
		},
	}
}

// want has the row of each table after everything was inserted, column by column.
var want = map[string]string{
	"frames": "tenant=acme session_id=sess-1 stream_id=" + streamID + " seq=5 stream_started=2025-11-20 19:36:18 " +
		"captured_at=2025-11-21 00:00:00.123456789 direction=send transport=websocket flags=65 type=t source_session=own run_id=run-1 " +
		"node_id=node-1 agent=react event_id=e1 cuts=\x03\xaa\x0c raw=\x00\xff raw\n generation=0",
	"streams": "tenant=acme session_id=sess-1 stream_id=" + streamID + " first_seq=3 stream_started=2025-11-20 19:36:18 version=9 " +
		"transport=sse dialect=loom evidence=why source=a file tags={'k':'v'} title=question first_at=2025-11-21 00:00:00.000000001 " +
		"last_at=2025-11-21 00:00:01.000000002 frames=3 bytes=4 ended=2025-11-21 00:00:02.000000003 end_reason=eof recorder=r1 digest=d1 ingest_key=k1 decoder_version=8 redacted={'jwt':2} limits=[{\"name\":\"primary\"}] not_json=1 " +
		"invalid_utf8=2 oversize=3 unknown=4 lost=5 repeated=6 back=7 generation=0",
	"spans": "tenant=acme session_id=sess-1 stream_id=" + streamID + " span_id=tool:1 seen_at=2025-11-21 00:00:00.000000001 seen_seq=6 " +
		"version=7 kind=tool parent_id=node:1 name=read status=error started=2025-11-21 00:00:00.000000001 " +
		"ended=2025-11-21 00:00:00.000000002 first_token=2025-11-21 00:00:00.000000003 duration_ns=4 run_id=run-1 node_id=node-1 " +
		"agent=react call_id=c1 model=m provider=p error=boom attributes={\"a\":1} dialect=loom first_seq=3 generation=0",
	"messages": "tenant=acme session_id=sess-1 stream_id=" + streamID + " message_id=message:1 seen_at=2025-11-21 00:00:00.000000001 " +
		"seen_seq=6 version=7 kind=reply span_id=run:1 name=n text=héllo media=text complete=true started=2025-11-21 00:00:00.000000001 " +
		"ended=2025-11-21 00:00:00.000000002 chunk_at=[1,2] chunk_end=[3,6] run_id=run-1 node_id=node-1 agent=react attributes={} dialect=loom first_seq=3 generation=0",
	"usage": "tenant=acme session_id=sess-1 stream_id=" + streamID + " usage_id=usage:1 seen_at=2025-11-21 00:00:00.000000001 seen_seq=6 " +
		"version=7 scope=call mode=running at=2025-11-21 00:00:00.000000005 span_id=llm:1 run_id=run-1 node_id=node-1 agent=react model=m " +
		"provider=p input=1 cache_read=2 cache_write_5m=3 cache_write_1h=4 output=5 reasoning=6 total=22 raw={\"u\":1} requested_model=rm service_tier=flex speed=fast region=eu " +
		"stated_cost=0.0125 stated_currency=USD request_id=req_1 message_id=msg_1 input_text=1 input_audio=2 input_image=3 input_video=4 " +
		"cache_read_text=5 cache_read_audio=6 cache_read_image=7 cache_read_video=8 output_text=9 output_audio=10 output_image=11 " +
		"output_video=12 web_searches=13 web_fetches=14 code_executions=15 dialect=loom first_seq=3 generation=0",
}

func migrated(t *testing.T) (dsn string, db driver.Conn) {
	t.Helper()
	dsn = localtest.ClickHouse(t)
	db, err := clickhouse.Open(dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	if _, err := clickhouse.Migrate(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	return dsn, db
}

// Every field of a block ends in its column, and the buffers that it came from
// may be overwritten before the insert.
func TestBatch(t *testing.T) {
	dsn, db := migrated(t)
	client, err := clickhouse.Dial(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	encoded := block.Encode(nil, everything(), block.S2)
	other := everything()
	other.Session, other.State.Tags = "sess-other", map[string]string{"x": "yyyyyyyyyyyyyyyyyyyyy"}
	overwrite := block.Encode(nil, other, block.S2)

	batch := clickhouse.NewBatch()
	for range 2 { // reused after Reset
		batch.Reset()
		var decoder block.Decoder
		var b block.Block
		if err := decoder.Decode(encoded, &b); err != nil {
			t.Fatal(err)
		}
		if err := batch.Add("acme", &b); err != nil {
			t.Fatal(err)
		}
		if err := decoder.Decode(overwrite, &b); err != nil {
			t.Fatal(err)
		}
		if err := batch.Insert(t.Context(), client); err != nil {
			t.Fatal(err)
		}
	}
	for table, row := range want {
		if got := onlyRow(t, db, table); got != row {
			t.Errorf("%s:\n got %q\nwant %q", table, got, row)
		}
	}
}

// What was decoded anew says so in every table, block by block.
func TestGeneration(t *testing.T) {
	dsn, db := migrated(t)
	client, err := clickhouse.Dial(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	batch := clickhouse.NewGeneration(42)
	for range 2 { // reused after Reset
		batch.Reset()
		for range 2 {
			if err := batch.Add("acme", everything()); err != nil {
				t.Fatal(err)
			}
		}
		if err := batch.Insert(t.Context(), client); err != nil {
			t.Fatal(err)
		}
	}
	for table, row := range want {
		row = strings.TrimSuffix(row, "0") + "42"
		if got := onlyRow(t, db, table); got != row {
			t.Errorf("%s:\n got %q\nwant %q", table, got, row)
		}
	}
}

// onlyRow writes a table's one row as name=value pairs.
// Columns that ClickHouse computes when they are read are left out.
func onlyRow(t *testing.T, db driver.Conn, table string) string {
	t.Helper()
	columns, err := db.Query(t.Context(), "SELECT name FROM system.columns WHERE database = currentDatabase() AND table = ? AND default_kind != 'ALIAS' ORDER BY position", table)
	if err != nil {
		t.Fatal(err)
	}
	defer columns.Close()
	var parts []string
	for columns.Next() {
		var name string
		if err := columns.Scan(&name); err != nil {
			t.Fatal(err)
		}
		parts = append(parts, fmt.Sprintf("'%s=' || toString(%s)", name, name))
	}
	rows, err := db.Query(t.Context(), fmt.Sprintf("SELECT %s FROM %s FINAL", strings.Join(parts, " || ' ' || "), table))
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var found []string
	for rows.Next() {
		var row string
		if err := rows.Scan(&row); err != nil {
			t.Fatal(err)
		}
		found = append(found, row)
	}
	if len(found) != 1 {
		t.Fatalf("%s: %d rows: %q", table, len(found), found)
	}
	return found[0]
}

func TestMigrateTwiceAndChanged(t *testing.T) {
	_, db := migrated(t)
	again, err := clickhouse.Migrate(t.Context(), db)
	if err != nil || len(again) != 0 {
		t.Errorf("the second time it applied %q (%v), want nothing", again, err)
	}
	must(t, db, "INSERT INTO schema_migrations (version, name, checksum, applied) VALUES (1, 'x', 'another', now64(3) + 10)")
	if _, err := clickhouse.Migrate(t.Context(), db); err == nil || !strings.Contains(err.Error(), "must not be changed") {
		t.Errorf("a changed migration: %v", err)
	}
}

func must(t *testing.T, db driver.Conn, statement string) {
	t.Helper()
	if err := db.Exec(context.WithoutCancel(t.Context()), statement); err != nil {
		t.Fatal(err)
	}
}

func FuzzCuts(f *testing.F) {
	f.Add([]byte("\x03\xaa\x0c"), int64(5))
	f.Add([]byte{}, int64(0))
	f.Fuzz(func(t *testing.T, p []byte, at int64) {
		cuts, err := clickhouse.ParseCuts(p, at)
		if err != nil {
			return
		}
		again, err := clickhouse.ParseCuts(clickhouse.AppendCuts(nil, &schema.Frame{At: at, Cuts: cuts}), at)
		if err != nil || fmt.Sprint(again) != fmt.Sprint(cuts) {
			t.Errorf("%v became %v (%v)", cuts, again, err)
		}
	})
}
