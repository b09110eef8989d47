package record

import (
	"os"
	"strings"
	"testing"
	"time"

	"tapedeck/internal/fulltest"
)

// A second run records nothing. A file that has grown adds what is new.
func TestSyncGrows(t *testing.T) {
	t.Parallel()
	h, c := newAgentHome(t), newConversation()
	path := h.write(t, c.path(), c.asks("Mend the sync")+c.says("Done."))
	if said := h.sync(t); !strings.Contains(said, "recorded 1 file, 2 frames") {
		t.Errorf("the first sync:\n%s", said)
	}
	s := h.counts(t, c.session, 1, 0)
	if s.Title != "Mend the sync" || s.Tags["project"] != "/w/app" || s.Tags["branch"] != "fix/sync" || s.Tags["agent"] != "claude-code" {
		t.Errorf("title %q, tags %v", s.Title, s.Tags)
	}
	if want := time.Date(2026, 3, 4, 5, 6, 8, 0, time.UTC); !s.Started.Equal(want) {
		t.Errorf("started %v, want %v", s.Started, want)
	}
	if said := h.sync(t); !strings.Contains(said, "recorded 0 files, 0 frames") || !strings.Contains(said, "1 file unchanged since recorded") {
		t.Errorf("the second sync:\n%s", said)
	}
	more := c.asks("And test it") + c.calls("Bash", "toolu_1") + c.returns("toolu_1", "") + c.says("Tested.")
	half := strings.LastIndexByte(more, 'u')
	h.add(t, path, more[:half])
	if said := h.sync(t); !strings.Contains(said, "recorded 1 file, 3 frames") || !strings.Contains(said, "1 file whose last line is half-written") {
		t.Errorf("the sync of a half-written line:\n%s", said)
	}
	h.counts(t, c.session, 2, 1)
	h.add(t, path, more[half:])
	if said := h.sync(t); !strings.Contains(said, "recorded 1 file, 1 frame,") {
		t.Errorf("the sync of the rest:\n%s", said)
	}
	s = h.shows(t, c.session, func(s *synced) bool {
		return s.Tokens.Output == 30 && s.Tools.Calls == 1 && len(s.Streams) == 1 && s.Streams[0].Frames == 6
	})
	if s.Tokens.Input != 300 || len(s.Runs) != 2 {
		t.Errorf("streams %+v, runs %+v", s.Streams, s.Runs)
	}
	for _, r := range s.Runs {
		if r.Status != "ok" {
			t.Errorf("a run is %s", r.Status)
		}
	}
	// Nothing is lost or doubled without the progress.
	if err := os.RemoveAll(h.dir + "/state/tapedeck/sync"); err != nil {
		t.Fatal(err)
	}
	if said := h.sync(t); !strings.Contains(said, "recorded 1 file, 6 frames") {
		t.Errorf("the sync without progress:\n%s", said)
	}
	s = h.counts(t, c.session, 3, 1)
	if len(s.Streams) != 1 || s.Streams[0].Frames != 6 || len(s.Runs) != 2 {
		t.Errorf("without progress: streams %+v, runs %+v", s.Streams, s.Runs)
	}
}

// Lines that a file has from another one count in that one alone.
func TestSyncOfResumedAndBranchedFiles(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	h, c := newAgentHome(t), newConversation()
	first := c.asks("Begin") + c.calls("Bash", "toolu_1") + c.returns("toolu_1", "") + c.says("Begun.")
	path := h.write(t, c.path(), first)
	resumed, copied := c.resumed(first)
	h.write(t, resumed.path(), copied+resumed.asks("Go on")+resumed.says("Gone on."))
	branched, again := c.resumed(first)
	h.write(t, branched.path(), again+branched.asks("Go elsewhere")+branched.calls("Read", "toolu_2")+branched.returns("toolu_2", "")+branched.says("Gone."))
	opened, all := c.resumed(first)
	h.write(t, opened.path(), all)
	now := time.Now()
	for i, p := range []*conversation{c, resumed, branched, opened} {
		if err := os.Chtimes(h.dir+"/"+p.path(), now, now.Add(time.Duration(i-10)*time.Second)); err != nil {
			t.Fatal(err)
		}
	}
	said := h.sync(t, "--tag", "of="+c.session)
	if !strings.Contains(said, "recorded 3 files") || !strings.Contains(said, "8 lines also in other files: counted there") ||
		!strings.Contains(said, "1 file whose lines are all in other files") {
		t.Errorf("sync:\n%s", said)
	}
	// The first file goes on as well, at its end and on another branch.
	c.last = ""
	h.add(t, path, c.asks("Begin otherwise")+c.says("Begun otherwise.")+
		c.line(`"type":"system","subtype":"compact_boundary","content":"Conversation compacted","compactMetadata":{"trigger":"auto","preTokens":1000}`)+
		c.line(`"type":"user","isCompactSummary":true,"message":{"role":"user","content":"This session is being continued from a previous conversation."}`)+
		c.asks("After it")+c.says("Yes."))
	h.sync(t, "--tag", "of="+c.session)
	h.counts(t, c.session, 4, 1)
	if s := h.counts(t, resumed.session, 1, 0); s.Title != "Go on" {
		t.Errorf("the title of the resumed session is %q", s.Title)
	}
	h.counts(t, branched.session, 2, 1)
	if status, _, _ := h.Get(t, "/v1/sessions/"+opened.session); status != 404 {
		t.Errorf("a session of copies alone: %d", status)
	}
	h.Must(t, "redecode", branched.session) // concludes nothing from copies either
	h.counts(t, branched.session, 2, 1)
	if got := h.used(t, "of:"+c.session); got != 7*110 {
		t.Errorf("all sessions used %d tokens, want %d", got, 7*110)
	}
	if said := h.sync(t); !strings.Contains(said, "recorded 0 files, 0 frames") {
		t.Errorf("the last sync:\n%s", said)
	}
}

// A file that shrank or was replaced is recorded beside what it held before, and lines of
// both count once.
func TestSyncOfRewrittenFiles(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	h, c := newAgentHome(t), newConversation()
	first, second := c.asks("One")+c.says("1"), c.asks("Two")+c.says("2")
	path := h.write(t, c.path(), first+second)
	h.sync(t)
	h.counts(t, c.session, 2, 0)
	h.write(t, c.path(), second)
	h.sync(t)
	h.write(t, c.path(), second+c.asks("Three")+c.says("3"))
	if said := h.sync(t); !strings.Contains(said, "recorded 1 file") {
		t.Errorf("the sync of a replaced file:\n%s", said)
	}
	h.counts(t, c.session, 3, 0)
	h.add(t, path, c.asks("Four")+c.says("4"))
	h.sync(t)
	if s := h.counts(t, c.session, 4, 0); len(s.Streams) != 2 {
		t.Errorf("streams %+v", s.Streams)
	}
}
