package ingest_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/ingest"
	"tapedeck/internal/bounded"
	"tapedeck/schema"
	"tapedeck/schema/block"
)

// A tap that is killed and reads its stream again from the beginning comes to
// what it would have come to undisturbed: every frame once, the same facts, the
// same counters.
func TestRecordedAgain(t *testing.T) {
	var lines []string
	for s := range 3 {
		id := 0
		say := func(rest string) {
			id++
			lines = append(lines, fmt.Sprintf(`{"session_id":"s%d","node_id":"n","event_id":%d,%s`, s, id, rest))
		}
		say(`"type":"node_enter","id":"think"}`)
		for range 5 {
			say(`"type":"message_chunk","content":"word ","id":"think"}`)
		}
		id += 2 // two frames are lost
		say(`"type":"usage","prompt_tokens":10,"completion_tokens":5,"total_tokens":15}`)
		say(`"type":"tool_call","call_id":"c","name":"ls","arguments":{}}`)
		say(`"type":"tool_start","call_id":"c","name":"ls"}`)
		lines = append(lines, "not json")
		say(`"type":"tool_end","call_id":"c","name":"ls","result":"x","is_error":false}`)
		say(`"type":"node_exit","id":"think","result":"Ok"}`)
		say(`"reply":"done"}`)
	}
	opts := ingest.StreamOptions{}
	whole, sum := record(t, ingest.Settings{BlockFrames: 3}, opts, lines...)
	bounded.Wait(t, whole.Wait)
	blocks := whole.Blocks()
	for n := 0; n <= len(blocks); n += max(1, len(blocks)/6) {
		// The first tap had published n blocks when it was killed.
		known := durable(blocks[:n])
		t.Run(fmt.Sprint(known), func(t *testing.T) {
			again := ingest.StreamOptions{Resume: &ingest.Resume{
				StreamID: sum.StreamID, NextSeq: known, Again: true, Settled: ingest.Settled{Session: "s0", Dialect: "loom"},
			}}
			second, after := record(t, ingest.Settings{BlockFrames: 3}, again, lines...)
			bounded.Wait(t, second.Wait)
			for _, b := range second.Blocks() {
				for _, f := range b.Frames {
					if f.Seq < known {
						t.Errorf("frame %d was published again", f.Seq)
					}
				}
			}
			if after.Frames != uint64(len(lines))-known {
				t.Errorf("%d frames are counted as new", after.Frames)
			}
			want, got := merge(blocks), merge(append(blocks[:n:n], second.Blocks()...))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("-undisturbed +killed:\n%s", diff)
			}
		})
	}
}

// durable is the first frame that is in none of the blocks.
func durable(blocks []*block.Block) uint64 {
	there := map[uint64]bool{}
	for _, b := range blocks {
		for _, f := range b.Frames {
			there[f.Seq] = true
		}
	}
	next := uint64(0)
	for there[next] {
		next++
	}
	return next
}

// merge puts blocks together as the store does; times of the end are left out.
func merge(blocks []*block.Block) map[string]any {
	all := map[string]any{}
	states := map[string]schema.StreamState{}
	for _, b := range blocks {
		for _, f := range b.Frames {
			all[fmt.Sprint("frame ", b.Session, f.Seq)] = string(f.Raw) + f.Type
		}
		for _, f := range b.Facts.Spans {
			f.Ended = 0
			all[fmt.Sprint("span ", b.Session, f.ID, f.SeenSeq)] = f
		}
		for _, f := range b.Facts.Messages {
			all[fmt.Sprint("message ", b.Session, f.ID, f.SeenSeq)] = f
		}
		for _, f := range b.Facts.Usages {
			all[fmt.Sprint("usage ", b.Session, f.ID, f.SeenSeq)] = f
		}
		for _, end := range append(b.Left, block.Left{Session: b.Session, State: b.State}) {
			end.State.Recorder = "" // it differs between recording processes
			key := fmt.Sprint("state ", end.Session, end.State.FirstSeq)
			if end.State.Version >= states[key].Version {
				states[key] = end.State
			}
		}
	}
	for key, s := range states {
		s.Ended, s.Evidence = 0, ""
		all[key] = s
	}
	return all
}
