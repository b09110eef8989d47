package tapeexport

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"tapedeck/internal/local/localtest"
	"tapedeck/replay"
	"tapedeck/replay/clickhouse"
	"tapedeck/replay/tapefile"
	"tapedeck/schema"
	"tapedeck/schema/block"
	schemaclickhouse "tapedeck/schema/clickhouse"
	"tapedeck/schema/clickhouse/clickhousetest"
)

func TestMain(m *testing.M) { localtest.Main(m) }

const at = int64(1_767_323_045_123_456_789)

// blocks returns a session of two streams, one of them in two parts; the later state of
// a part and the later version of a fact stand.
func blocks() []block.Block {
	const one, two = "019b7d3c-0000-7000-8000-000000000001", "019b7d3c-0000-7000-8000-000000000002"
	frame := func(seq uint64, raw string) schema.Frame {
		return schema.Frame{
			Seq: seq, At: at + int64(seq), Raw: []byte(raw), Flags: schema.FlagJoined, Direction: schema.Send, Transport: schema.SSE,
			Cuts:     []schema.Cut{{Offset: 1, At: at}},
			Envelope: schema.Envelope{Type: "t", Session: "s", Run: "r", Node: "n", Agent: "a", EventID: "e"},
		}
	}
	fact := schema.Fact{ID: "f", Run: "r", Node: "n", Agent: "a", SeenAt: at, SeenSeq: 1, Version: 3}
	state := schema.StreamState{
		StreamID: one, Transport: schema.SSE, Dialect: "loom", Evidence: "e", Source: "src", Tags: map[string]string{"k": "v"}, Title: "t",
		FirstAt: at + 1, LastAt: at + 2, Frames: 2, Bytes: 5, FirstSeq: 1, Version: 7, Ended: at + 3, EndReason: "left",
		Counters: schema.Counters{NotJSON: 1, InvalidUTF8: 2, Oversize: 3, Unknown: 4, Lost: 5, Repeated: 6, Back: 7},
	}
	early := state
	early.Version, early.Title = 4, ""
	back := schema.StreamState{StreamID: one, FirstSeq: 9, FirstAt: at + 9, LastAt: at + 9, Frames: 1, Bytes: 1, Version: 20, Tags: map[string]string{}}
	other := schema.StreamState{StreamID: two, FirstAt: at + 2, LastAt: at + 2, FirstSeq: 2, Frames: 1, Bytes: 3, Version: 6, Tags: map[string]string{}}
	old := fact
	old.Version = 1
	return []block.Block{
		{State: early, Facts: block.Facts{Spans: []schema.Span{{Fact: old, Kind: schema.SpanTool, Status: schema.StatusOpen}}}},
		{State: state, Frames: []schema.Frame{frame(1, "\x00\xff"), frame(2, "abc")}, Facts: block.Facts{
			Spans: []schema.Span{{
				Fact: fact, Kind: schema.SpanTool, Parent: "p", Name: "n", Status: schema.StatusError, Started: at, Ended: at + 5,
				FirstToken: at + 2, Duration: 4, CallID: "c", Model: "m", Provider: "p", Error: "e", Attributes: "{}",
			}},
			Messages: []schema.Message{{
				Fact: fact, Kind: schema.MessageResult, Span: "s", Name: "n", Text: "text", Media: "json", Complete: true,
				Started: at, Ended: at + 1, ChunkAt: []int64{at, at + 1}, ChunkEnd: []uint32{1, 4}, Attributes: "{}",
			}},
		}},
		{State: back, Frames: []schema.Frame{frame(9, "z")}, Facts: block.Facts{Usages: []schema.Usage{{
			Fact: fact, Scope: "sc", Mode: schema.UsageRunning, At: at + 2, Span: "s", Model: "m", Provider: "p",
			Tokens: schema.Tokens{Input: 1, CacheRead: 2, CacheWrite5m: 3, CacheWrite1h: 4, Output: 5, Reasoning: 6}, Total: 21, Raw: "{}",
			Billing: schema.Billing{
				RequestedModel: "rm", ServiceTier: "flex", Speed: "fast", Region: "eu", Cost: "0.0125", Currency: "USD",
				RequestID: "req_1", MessageID: "msg_1", Tools: schema.ToolUses{WebSearches: 13, WebFetches: 14, CodeExecutions: 15},
				Parts: schema.TokenParts{
					Input: schema.Modalities{Text: 1, Audio: 2, Image: 3, Video: 4}, CacheRead: schema.Modalities{Text: 5, Audio: 6, Image: 7, Video: 8},
					Output: schema.Modalities{Text: 9, Audio: 10, Image: 11, Video: 12},
				},
			},
		}}}},
		{State: other, Frames: []schema.Frame{frame(2, "xyz")}},
	}
}

// All of a stored session comes back from its tape.
func TestWrite(t *testing.T) {
	stored := clickhousetest.Shared(t)
	client, err := schemaclickhouse.Dial(t.Context(), stored.DSN)
	check(t, err)
	defer client.Close()
	all := blocks()
	batch := schemaclickhouse.NewBatch()
	for i := range all {
		all[i].Session = "it's a session"
		check(t, batch.Add(stored.Tenant, &all[i]))
	}
	check(t, batch.Insert(t.Context(), client))
	for i, deleted := range []int{0, 1} {
		check(t, stored.Conn.Exec(t.Context(), `INSERT INTO notes (tenant, session_id, stream_id, note_id, version, span_id, at, text, labels, thumb, author,
			written_at, deleted) VALUES (?, ?, ?, ?, ?, 'f', fromUnixTimestamp64Nano(?, 'UTC'), 'text', ['a', 'b'], 'up', 'grace',
			fromUnixTimestamp64Nano(?, 'UTC'), ?)`, stored.Tenant, all[0].Session, all[0].State.StreamID, fmt.Sprint(i), at+9, at+1, at+8, deleted))
	}
	library := clickhouse.Open(stored.DSN, clickhouse.Options{})
	t.Cleanup(func() { library.Close() })
	source := New(stored.Conn, library)
	if _, err := source.Find(t.Context(), "default", "it's a session"); !errors.Is(err, replay.ErrNoSession) {
		t.Errorf("another tenant's session: %v", err)
	}
	s, err := source.Find(t.Context(), stored.Tenant, "it's a session")
	check(t, err)
	var out bytes.Buffer
	check(t, s.Write(t.Context(), &out, true))
	moment := time.Unix(0, at+1).UTC()
	wantNotes := []tapefile.Note{{ID: "0", Span: "f", At: &moment, Text: "text", Labels: []string{"a", "b"}, Thumb: "up", Author: "grace",
		Written: time.Unix(0, at+8).UTC(), Changed: time.Unix(0, at+9).UTC()}}
	if got := notesOf(t, out.Bytes()); !reflect.DeepEqual(got, wantNotes) {
		t.Errorf("notes\n%+v\nwant\n%+v", got, wantNotes)
	}
	var bare bytes.Buffer
	if check(t, s.Write(t.Context(), &bare, false)); len(notesOf(t, bare.Bytes())) > 0 {
		t.Error("a tape without notes has notes")
	}
	path := filepath.Join(t.TempDir(), "a.tape")
	check(t, os.WriteFile(path, out.Bytes(), 0o600))
	f, err := tapefile.Open(path, tapefile.Options{})
	check(t, err)
	defer f.Close()
	parts, err := f.Parts("it's a session")
	check(t, err)
	if want := []schema.StreamState{all[1].State, all[2].State, all[3].State}; !reflect.DeepEqual(plain(parts), plain(want)) {
		t.Errorf("parts\n%+v\nwant\n%+v", parts, want)
	}
	tape, err := f.Tape(t.Context(), "", "it's a session")
	check(t, err)
	r, err := tape.Read(t.Context(), replay.Query{})
	check(t, err)
	frames, err := r.Next(t.Context())
	check(t, err)
	want := []schema.Frame{all[1].Frames[0], all[1].Frames[1], all[3].Frames[0], all[2].Frames[0]}
	if len(frames) != len(want) {
		t.Fatalf("%d frames", len(frames))
	}
	for i := range want {
		if !reflect.DeepEqual(frames[i].Frame, want[i]) {
			t.Errorf("frame %d is\n%+v, want\n%+v", i, frames[i].Frame, want[i])
		}
	}
	check(t, r.Close())
	facts := map[uint64]block.Facts{}
	check(t, f.Facts("it's a session", func(b *block.Block) error {
		of := facts[b.State.FirstSeq]
		of.Spans = append(of.Spans, b.Facts.Spans...)
		of.Messages = append(of.Messages, b.Facts.Messages...)
		of.Usages = append(of.Usages, b.Facts.Usages...)
		facts[b.State.FirstSeq] = of
		return nil
	}))
	if !reflect.DeepEqual(facts[1].Spans, all[1].Facts.Spans) || !reflect.DeepEqual(facts[1].Messages, all[1].Facts.Messages) ||
		!reflect.DeepEqual(facts[9].Usages, all[2].Facts.Usages) {
		t.Errorf("facts\n%+v\nwant\n%+v\n%+v", facts, all[1].Facts, all[2].Facts)
	}
}

// notesOf reads the notes of a tape.
func notesOf(t *testing.T, tape []byte) (all []tapefile.Note) {
	t.Helper()
	for s := tapefile.NewScanner(bytes.NewReader(tape)); ; {
		r, err := s.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if check(t, err); r.Kind == tapefile.KindNotes {
			list, _, err := r.Notes()
			check(t, err)
			all = append(all, list...)
		}
	}
}

// plain makes no difference between no tags and none.
func plain(parts []schema.StreamState) []schema.StreamState {
	for i := range parts {
		if len(parts[i].Tags) == 0 {
			parts[i].Tags = nil
		}
	}
	return parts
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
