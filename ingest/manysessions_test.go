package ingest_test

import (
	"fmt"
	"testing"

	"tapedeck/ingest"
	"tapedeck/schema/block"
)

// A stream of more sessions than may be open counts each once, also where the facts of closed
// sessions come at its end; and every part of every session has an end.
func TestManySessions(t *testing.T) {
	const sessions, rounds, open = 60, 3, 4
	for _, session := range []string{"s-%02d", "chat %02d/a"} { // the second is not fit for a subject
		var lines []string
		for round := range rounds {
			for i := range sessions {
				id := fmt.Sprintf(session, i)
				lines = append(lines,
					fmt.Sprintf(`{"type":"user","sessionId":%q,"uuid":"u%d-%d","message":{"role":"user","content":"go on"}}`, id, round, i),
					fmt.Sprintf(`{"type":"assistant","sessionId":%q,"uuid":"a%d-%d","message":{"id":"m%d-%d","role":"assistant","content":[{"type":"tool_use","id":"t%d-%d","name":"Bash","input":{}}]}}`,
						id, round, i, round, i, round, i))
			}
		}
		mem, sum := record(t, ingest.Settings{Segments: open}, ingest.StreamOptions{Dialect: "claude-code"}, lines...)
		last := fmt.Sprintf(session, sessions-1)
		if sum.SessionCount != sessions || len(sum.Sessions) != sessions || sum.LastSession != last {
			t.Errorf("%d sessions, %d listed, the last %s; want %d, the last %s",
				sum.SessionCount, len(sum.Sessions), sum.LastSession, sessions, last)
		}
		type part struct {
			session string
			first   uint64
		}
		ended, versions, late := map[part]bool{}, map[part]uint64{}, map[string]int{}
		frames := uint64(0)
		for _, b := range mem.Blocks() {
			frames += uint64(len(b.Frames))
			for _, end := range append(b.Left, block.Left{Session: b.Session, State: b.State}) {
				p := part{end.Session, end.State.FirstSeq}
				if end.State.Version >= versions[p] {
					versions[p], ended[p] = end.State.Version, end.State.Ended != 0 && end.State.EndReason != ""
				}
			}
			if b.State.Frames == 0 {
				late[b.Session]++
			}
		}
		if frames != uint64(len(lines)) {
			t.Errorf("%d frames, want %d", frames, len(lines))
		}
		for p, is := range ended {
			if !is {
				t.Errorf("the part of %s from frame %d has no end", p.session, p.first)
			}
		}
		for session, n := range late {
			if n > rounds {
				t.Errorf("%s has %d blocks for its late facts, more than one for each collection", session, n)
			}
		}
		if len(late) < sessions-open {
			t.Errorf("%d sessions with late facts: the test needs them", len(late))
		}
	}
}
