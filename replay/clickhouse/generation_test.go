package clickhouse

import (
	"fmt"
	"testing"
	"time"

	"tapedeck/replay"
	"tapedeck/schema"
	"tapedeck/schema/block"
	schemaclickhouse "tapedeck/schema/clickhouse"
)

// Of frames that were decoded anew the envelope of the latest generation is
// played, each frame once, however the rows lie; and the stream's state is that
// of the generation which counts.
func TestGenerations(t *testing.T) {
	d := shared(t)
	start := time.Date(2026, time.March, 2, 10, 0, 0, 0, time.UTC)
	insert := func(batch *schemaclickhouse.Batch, dialect string, stream string, from, to int) {
		client, err := schemaclickhouse.Dial(t.Context(), d.dsn)
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		at := func(i int) int64 { return start.Add(time.Duration(i) * time.Millisecond).UnixNano() }
		b := &block.Block{Session: "s", State: schema.StreamState{
			StreamID: stream, Dialect: dialect, FirstAt: at(0), LastAt: at(to - 1), Frames: uint64(to), Bytes: uint64(3 * to),
			Ended: at(to), EndReason: "eof", Recorder: "rec", Version: 2*uint64(to) + 1,
		}}
		for i := from; i < to; i++ {
			b.Frames = append(b.Frames, schema.Frame{Seq: uint64(i), At: at(i), Raw: []byte("{}\n"), Envelope: schema.Envelope{Type: dialect}})
		}
		if err := batch.Add("acme", b); err != nil {
			t.Fatal(err)
		}
		if err := batch.Insert(t.Context(), client); err != nil {
			t.Fatal(err)
		}
	}
	const long, short, brief = "019cad0a-0000-7000-8000-000000000001", "019cad0a-0000-7000-8000-000000000002", "019cad0a-0000-7000-8000-000000000003"
	for stream, n := range map[string]int{long: 3000, short: 100, brief: 50} {
		insert(schemaclickhouse.NewBatch(), "old", stream, 0, n)
		insert(schemaclickhouse.NewGeneration(7), "new", stream, 0, n/2)
		insert(schemaclickhouse.NewGeneration(7), "new", stream, n/2, n)
		insert(schemaclickhouse.NewBatch(), "old", stream, n/3, n) // once more
		insert(schemaclickhouse.NewGeneration(9), "broken off", stream, n, n)
	}
	dialects := func() string {
		tape, err := d.open(Options{}).Tape(t.Context(), "acme", "s")
		if err != nil {
			t.Fatal(err)
		}
		seen := ""
		for _, s := range tape.Streams() {
			if s.Recorder != "rec" {
				t.Errorf("the recorder of %s is %q", s.StreamID, s.Recorder)
			}
			seen += fmt.Sprintf("%s of %d frames; ", s.Dialect, s.Frames)
		}
		return seen
	}
	if got, want := dialects(), "old of 3000 frames; old of 100 frames; old of 50 frames; "; got != want {
		t.Errorf("before it counts: %s", got)
	}
	d.exec("INSERT INTO redecodes SELECT tenant, session_id, stream_id, 7, [0] FROM streams GROUP BY ALL")
	if got, want := dialects(), "new of 3000 frames; new of 100 frames; new of 50 frames; "; got != want {
		t.Errorf("once it counts: %s", got)
	}
	tape, err := d.open(Options{}).Tape(t.Context(), "acme", "s")
	if err != nil {
		t.Fatal(err)
	}
	for _, bare := range []bool{false, true} {
		frames, err := drain(t, tape, replay.Query{Bare: bare})
		if err != nil || len(frames) != 3150 {
			t.Fatalf("bare %v: %d frames, %v; want 3150", bare, len(frames), err)
		}
		wrong := 0
		for i := range frames {
			if !bare && frames[i].Type != "new" {
				wrong++
			}
		}
		if wrong > 0 {
			t.Errorf("%d frames have the envelope of an earlier generation", wrong)
		}
	}
}
