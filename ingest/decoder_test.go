package ingest

import (
	"testing"

	"tapedeck/ingest/dialect/dialects"
	"tapedeck/schema"
)

func TestDecoder(t *testing.T) {
	loom, err := dialects.ByName("loom")
	if err != nil {
		t.Fatal(err)
	}
	d := newDecoder(testStream, 0)
	d.use(loom)
	for i, c := range []struct {
		text     string
		kind     string
		flags    schema.Flags
		lost     uint64
		answered bool
	}{
		{loomEnter, "node_enter", 0, 0, false},
		{"text", "", schema.FlagNotJSON, 0, false},
		{`{"session_id":"s","node_id":"n","event_id":5,"type":"message_chunk","content":"x","id":"think"}`, "message_chunk", schema.FlagEventGap, 3, false},
		{`{"type":"run_end","id":"s","reply":"hi"}`, "run_end", 0, 0, true},
	} {
		f := &schema.Frame{Seq: uint64(i), At: int64(i), Raw: []byte(c.text + "\n")}
		d.decode(f)
		if lost := d.lost(); f.Type != c.kind || f.Flags != c.flags || lost != c.lost || d.answered != c.answered {
			t.Errorf("frame %d: type %q, flags %q, %d lost, answered %t; want %+v", i, f.Type, f.Flags, lost, d.answered, c)
		}
	}
	d.end(10)
	facts, _ := d.emitter.Take(10, true)
	for _, s := range facts.Spans {
		if s.Status == schema.StatusOpen {
			t.Errorf("span %s is open after the end", s.ID)
		}
	}
	if len(facts.Spans) == 0 || len(facts.Messages) == 0 {
		t.Errorf("facts %+v, want spans and messages", facts)
	}
}
