package sink_test

import (
	"testing"
	"time"

	"tapedeck/ingest/delivery/deadletters"
	"tapedeck/ingest/sink"
	"tapedeck/internal/bounded"
)

// A block that was set aside is stored by itself after an upgrade, once the reason is
// mended; one that is refused again keeps its reason and counts the try.
func TestLettersRetried(t *testing.T) {
	b := newBench(t)
	letters, err := deadletters.Open(b.nc)
	if err != nil {
		t.Fatal(err)
	}
	list := func() []deadletters.Letter {
		all, err := letters.List(t.Context(), 0, 10)
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	waitFor := func(what string, ok func([]deadletters.Letter) bool) {
		t.Helper()
		bounded.Until(t, what, func() bool { return ok(list()) })
	}
	b.do("ALTER TABLE usage ADD CONSTRAINT none CHECK session_id != 'bad'")
	b.record("good", 20)
	b.record("bad", 20)
	_, stop := b.run(sink.Options{Version: "1", RetryEvery: 2 * time.Second})
	b.check("good", 20)
	waitFor("blocks are set aside", func(l []deadletters.Letter) bool { return len(l) > 0 })
	b.waitAcked()
	stop()
	was := list()
	if was[0].Tries != 0 || was[0].Session != "bad" {
		t.Errorf("a letter that is new: %+v", was[0])
	}
	_, stop = b.run(sink.Options{Version: "2", RetryEvery: 2 * time.Second})
	waitFor("each was tried by the new version", func(l []deadletters.Letter) bool {
		for _, l := range l {
			if l.Tries != 1 || l.Reason != was[0].Reason || l.At.IsZero() {
				return false
			}
		}
		return len(l) == len(was)
	})
	stop()
	b.do("ALTER TABLE usage DROP CONSTRAINT none")
	s, _ := b.run(sink.Options{Version: "3", RetryEvery: 2 * time.Second})
	b.check("bad", 20)
	waitFor("no letters", func(l []deadletters.Letter) bool { return len(l) == 0 })
	if st := s.Status(); !st.OK {
		t.Errorf("%+v", st)
	}
}
