package redecode

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tapedeck/ingest"
	"tapedeck/internal/fulltest"
	"tapedeck/schema"
	"tapedeck/schema/block"
	"tapedeck/schema/lifecycle/tombstone"
)

// A stream that was recorded as something else comes to exactly what it would
// have been, had it been recognised: frames with their bytes, envelopes and
// marks, facts with their versions, counters, title.
func TestGuessedWrong(t *testing.T) {
	fulltest.Long(t)
	b := newBench(t)
	frames := map[string]int{} // of each stream
	for _, lines := range loomCases(t) {
		resume := &ingest.Resume{StreamID: schema.NewStreamID()}
		frames[resume.StreamID] = len(lines)
		opts := ingest.StreamOptions{Session: "s", Resume: resume, Source: "here", Tags: map[string]string{"k": "v"}}
		b.store("right", record(t, opts, ahead, lines))
		opts.Dialect = "generic"
		b.store("wrong", record(t, opts, ahead, lines))
	}
	right := b.dump("right")
	before := b.dump("wrong")
	for _, table := range []string{"frames", "spans", "usage", "streams"} {
		if before[table] == right[table] {
			t.Fatalf("%s are the same before: this shows nothing", table)
		}
	}
	for round := range 2 { // the second time changes nothing
		r := b.redecode("wrong", "s", "")
		if len(r.Streams) != len(frames) {
			t.Errorf("round %d: %d streams, want %d", round, len(r.Streams), len(frames))
		}
		for _, s := range r.Streams {
			if uint64(frames[s.ID]) != s.Frames || !s.Ended || s.Sessions != 1 || s.Evidence == "named by the user" {
				t.Errorf("round %d: of %d frames %+v", round, frames[s.ID], s)
			}
			if round == 0 && (s.DialectBefore != "generic" || s.EvidenceBefore != "named by the user") ||
				round == 1 && (s.DialectBefore != s.DialectAfter || s.EvidenceBefore != s.Evidence) {
				t.Errorf("round %d: %+v", round, s)
			}
		}
		if d := cmp.Diff(right, b.dump("wrong")); d != "" {
			t.Fatalf("round %d (-recorded so, +decoded anew):\n%s", round, d)
		}
		b.clean("wrong")
	}
}

// The counts of a Result are those of the facts there are.
func TestResultCounts(t *testing.T) {
	b := newBench(t)
	lines := loomCase(t, "../dialect/loom/testdata/cases/usage.txtar")
	b.store("acme", record(t, ingest.StreamOptions{Session: "s", Dialect: "generic"}, ahead, lines))
	s := b.redecode("acme", "s", "").Streams[0]
	seen := b.dump("acme")
	for table, n := range map[string]uint64{"spans": s.Spans, "messages": s.Messages, "usage": s.Usages} {
		if want := uint64(len(strings.Split(seen[table], "\n"))); n != want || seen[table] == "" {
			t.Errorf("%s: %d, want %d", table, n, want)
		}
	}
}

// By force to the wrong dialect and back again, in a file of several sessions:
// each keeps its frames, and the facts of the others stay while one is decoded.
func TestThereAndBack(t *testing.T) {
	fulltest.Long(t)
	b := newBench(t)
	blocks := record(t, ingest.StreamOptions{}, ahead, loomCase(t, "../dialect/loom/testdata/cases/sessions.txtar"))
	b.store("acme", blocks)
	sessions := map[string]bool{}
	for _, blk := range blocks {
		sessions[blk.Session] = true
	}
	if len(sessions) < 3 {
		t.Fatalf("%d sessions: this shows little", len(sessions))
	}
	recorded := b.dump("acme")
	b.redecode("acme", "a", "generic")
	forced := b.dump("acme")
	if strings.Contains(forced["spans"], "'a',") || !strings.Contains(forced["spans"], "('b',") {
		t.Errorf("of the spans of a none is to be left, those of b are to stay:\n%s", forced["spans"])
	}
	for s := range sessions {
		if got := b.redecode("acme", s, "generic").Streams[0]; got.DialectAfter != "generic" || got.Evidence != "named by the user" || got.Sessions != len(sessions) {
			t.Errorf("%s: %+v", s, got)
		}
	}
	if spans := b.dump("acme")["spans"]; spans != "" {
		t.Errorf("spans of generic:\n%s", spans)
	}
	for s := range sessions {
		b.redecode("acme", s, "")
	}
	if d := cmp.Diff(recorded, b.dump("acme")); d != "" {
		t.Errorf("there and back (-before +after):\n%s", d)
	}
	b.clean("acme")
}

// A copy of a session under another id, as an import of a tape makes it, is
// decoded by itself, though its frames name the session it was copied from: its
// facts are those of the original, which stay as they were.
func TestCopy(t *testing.T) {
	b := newBench(t)
	blocks := record(t, ingest.StreamOptions{}, ahead, loomCase(t, "../dialect/loom/testdata/cases/sessions.txtar"))
	b.store("acme", blocks)
	divided := b.redecode("acme", "a", "").Streams[0].Sessions
	alone := b.dump("acme")
	for _, blk := range blocks {
		if blk.Session == "a" {
			blk.Session = "copy"
			b.store("acme", []*block.Block{blk})
		}
	}
	before := b.dump("acme")
	if before["spans"] == alone["spans"] {
		t.Fatal("the copy has no facts: this shows nothing")
	}
	for _, session := range []string{"copy", "a", "b"} {
		got := b.redecode("acme", session, "").Streams[0]
		if session != "b" && got.Sessions != divided { // b sees both
			t.Errorf("%s: %d sessions, want %d", session, got.Sessions, divided)
		}
		if d := cmp.Diff(before, b.dump("acme")); d != "" {
			t.Fatalf("%s was decoded anew (-before +after):\n%s", session, d)
		}
	}
	b.clean("acme")
}

// Killed before the switch, readers see the old facts, killed behind it the new
// ones; every frame is there once, and the next run leads to the right state.
func TestKilled(t *testing.T) {
	fulltest.Long(t)
	b := newBench(t)
	lines := loomCase(t, "../dialect/loom/testdata/cases/specification.txtar")
	resume := &ingest.Resume{StreamID: schema.NewStreamID()}
	wrong := record(t, ingest.StreamOptions{Session: "s", Resume: resume, Dialect: "generic"}, ahead, lines)
	b.store("right", record(t, ingest.StreamOptions{Session: "s", Resume: resume}, ahead, lines))
	b.store("wrong", wrong)
	right, before := b.dump("right"), b.dump("wrong")

	if _, err := b.Session(killedAt(t.Context(), stepWritten), "wrong", "s", ""); err == nil {
		t.Fatal("it was not killed")
	}
	got := b.dump("wrong")
	if got["frames"] != right["frames"] { // their envelopes are ahead of the facts
		t.Errorf("frames after it was killed: %s", cmp.Diff(right["frames"], got["frames"]))
	}
	got["frames"] = before["frames"]
	if d := cmp.Diff(before, got); d != "" {
		t.Errorf("killed before the switch (-old +seen):\n%s", d)
	}
	if _, err := b.Session(killedAt(t.Context(), stepCommitted), "wrong", "s", ""); err == nil {
		t.Fatal("it was not killed")
	}
	if d := cmp.Diff(right, b.dump("wrong")); d != "" {
		t.Errorf("killed after the switch (-new +seen):\n%s", d)
	}
	b.store("wrong", wrong) // delivered once more
	got = b.dump("wrong")
	if d := cmp.Diff(right, got); d != "" {
		t.Errorf("what was recorded was delivered once more (-new +seen):\n%s", d)
	}
	b.redecode("wrong", "s", "")
	if d := cmp.Diff(right, b.dump("wrong")); d != "" {
		t.Errorf("the last time (-new +seen):\n%s", d)
	}
	b.clean("wrong")
}

// Should something of the new generation not be stored, nothing changes.
func TestNotAllStored(t *testing.T) {
	b := newBench(t)
	b.store("acme", record(t, ingest.StreamOptions{Session: "s", Dialect: "generic"}, ahead, loomCase(t, "../dialect/loom/testdata/cases/usage.txtar")))
	before := b.dump("acme")
	if err := b.db.Exec(t.Context(), "ALTER TABLE usage ADD CONSTRAINT none CHECK dialect != 'loom'"); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Session(t.Context(), "acme", "s", ""); err == nil || !strings.Contains(err.Error(), "none") {
		t.Fatalf("error %v, want the constraint", err)
	}
	got := b.dump("acme")
	got["frames"] = before["frames"]
	if d := cmp.Diff(before, got); d != "" {
		t.Errorf("(-before +after):\n%s", d)
	}
}

// A tap that goes on with its stream, after a restart, writes another segment:
// that is seen, and the next decoding puts both together.
func TestStreamGoesOn(t *testing.T) {
	b := newBench(t)
	lines := loomCase(t, "../dialect/loom/testdata/cases/nodes.txtar")
	id := schema.NewStreamID()
	b.store("acme", record(t, ingest.StreamOptions{Session: "s", Dialect: "generic", Resume: &ingest.Resume{StreamID: id}}, ahead, lines[:5]))
	b.redecode("acme", "s", "")
	first := b.dump("acme")
	b.store("acme", record(t, ingest.StreamOptions{Session: "s", Dialect: "loom", Resume: &ingest.Resume{StreamID: id, NextSeq: 5}}, ahead+int64(time.Hour), lines[5:]))
	second := b.dump("acme")
	for _, table := range []string{"spans", "streams"} {
		were, are := strings.Split(first[table], "\n"), strings.Split(second[table], "\n")
		if len(are) <= len(were) {
			t.Errorf("%s: %d rows, after it went on %d", table, len(were), len(are))
		}
		for _, row := range were {
			if !slices.Contains(are, row) {
				t.Errorf("%s: after it went on there is no %s", table, row)
			}
		}
	}
	r := b.redecode("acme", "s", "")
	if got := b.dump("acme"); strings.Contains(got["streams"], "\n") || r.Streams[0].Frames != uint64(len(lines)) {
		t.Errorf("%d frames, streams:\n%s", r.Streams[0].Frames, got["streams"])
	}
	b.clean("acme")
}

// A session that is being recorded is refused, and left alone.
func TestRunning(t *testing.T) {
	b := newBench(t)
	lines := loomCase(t, "../dialect/loom/testdata/cases/nodes.txtar")
	now := time.Now()
	open := func(tenant string, ago time.Duration) {
		b.store(tenant, recordUntil(t, ingest.StreamOptions{Session: "s"}, now.Add(-ago).UnixNano(), lines[:3], true))
	}
	open("fresh", 0)
	open("waiting", 10*time.Minute)
	open("dead", 2*time.Hour)
	for _, tenant := range []string{"fresh", "waiting"} {
		before := b.dump(tenant)
		_, err := b.Session(t.Context(), tenant, "s", "generic")
		if status(err) != 409 || !strings.Contains(err.Error(), "still being recorded") {
			t.Errorf("%s: %v, want a refusal", tenant, err)
		}
		if d := cmp.Diff(before, b.dump(tenant)); d != "" {
			t.Errorf("%s: %s", tenant, d)
		}
	}
	before := b.dump("dead")
	if r := b.redecode("dead", "s", ""); r.Streams[0].Ended {
		t.Errorf("%+v", r.Streams[0])
	}
	if d := cmp.Diff(before, b.dump("dead")); d != "" {
		t.Errorf("what is open stays open (-before +after): %s", d)
	}
}

func TestRefusals(t *testing.T) {
	b := newBench(t)
	if _, err := b.Session(t.Context(), "acme", "s", "loon"); status(err) != 400 || !strings.Contains(err.Error(), `"loon"`) || !strings.Contains(err.Error(), "loom") {
		t.Errorf("an unknown dialect: %v", err)
	}
	if _, err := b.Session(t.Context(), "acme", "s", ""); status(err) != 404 {
		t.Errorf("an unknown session: %v", err)
	}
	b.begin("acme", "s")
	if _, err := b.Session(t.Context(), "acme", "s", ""); status(err) != 409 {
		t.Errorf("a session that is being decoded: %v", err)
	}
	b.end("acme", "s")
	gone := New(b.db, "clickhouse://127.0.0.1:1/x", nil)
	b.store("acme", record(t, ingest.StreamOptions{Session: "s"}, ahead, loomCase(t, "../dialect/loom/testdata/cases/nodes.txtar")))
	if _, err := gone.Session(t.Context(), "acme", "s", ""); err == nil || !isUnavailable(err) {
		t.Errorf("a server that is away: %v", err)
	}
}

// If other servers cannot be informed, the answer does not say that nothing was changed.
func TestUnannouncedRedecode(t *testing.T) {
	b := newBench(t)
	b.store("acme", record(t, ingest.StreamOptions{Session: "s"}, ahead, loomCase(t, "../dialect/loom/testdata/cases/nodes.txtar")))
	b.Announce = func(context.Context, ...tombstone.Key) error { return context.DeadlineExceeded }
	w := httptest.NewRecorder()
	b.Handle(w, httptest.NewRequest(http.MethodPost, "/v1/sessions/s/redecode", nil), "acme", "s")
	if text := w.Body.String(); w.Code != http.StatusServiceUnavailable || !strings.Contains(text, "has its new facts") {
		t.Errorf("%d %s", w.Code, text)
	}
}

// More frames than a window and a batch hold, large ones among them, and numbers
// that are missing.
func TestManyFrames(t *testing.T) {
	fulltest.Long(t)
	b := newBench(t)
	id := schema.NewStreamID()
	var lines []line
	for i := range 10_000 {
		text := "word "
		if i%1000 == 7 {
			text = strings.Repeat("long ", 300_000)
		}
		lines = append(lines, line{after: time.Millisecond, raw: fmt.Sprintf(`{"session_id":"x","node_id":"run-think-0","event_id":%d,"type":"message_chunk","content":%q,"id":"think"}`+"\n", i+1, text)})
	}
	opts := ingest.StreamOptions{Session: "s", Resume: &ingest.Resume{StreamID: id}}
	right := record(t, opts, ahead, lines)
	opts.Dialect = "generic"
	b.store("right", right)
	b.store("wrong", record(t, opts, ahead, lines))
	b.redecode("wrong", "s", "")
	want, got := b.dump("right"), b.dump("wrong")
	for _, table := range compared {
		if want[table] != got[table] {
			t.Errorf("%s differ: %d bytes, want %d", table, len(got[table]), len(want[table]))
		}
	}

	var holes []*block.Block // as if other sessions of the stream had been deleted
	for _, blk := range right {
		if n := len(blk.Frames); n == 0 || blk.Frames[0].Seq < 3000 || blk.Frames[0].Seq > 9500 {
			holes = append(holes, blk)
		}
	}
	b.store("holes", holes)
	n := b.redecode("holes", "s", "").Streams[0].Frames
	if seen := strings.Count(b.dump("holes")["frames"], "\n") + 1; uint64(seen) != n || n < 3000 || n > 4000 {
		t.Errorf("%d frames, %d were decoded", seen, n)
	}
}
