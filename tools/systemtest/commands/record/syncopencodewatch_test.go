package record

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/uuid"

	"tapedeck/ingest/tap/agenthistory/sqlitetest"
	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// With --watch sessions of a database are recorded as OpenCode writes them, also after it was ended and started again; a
// sub-agent's session counts in that of its parent.
func TestSyncWatchOfOpenCodeDatabase(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	h, id := newAgentHome(t), "ses_"+uuid.NewString()[:8]
	o := newOpenCodeDatabase(t, h)
	o.session(id, "")
	asksOpenCode(o, id, "msg_1", "Look", openCodeBase)
	cmd := h.command(t, "--watch")
	var said commandtest.LogBuffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	bounded.Until(t, "the sync to watch", func() bool { return strings.Contains(said.String(), "watching for changes") })
	counts := func(answers uint64, streams int) {
		t.Helper()
		h.shows(t, id, func(s *synced) bool {
			return s.Tokens.Input == 100*answers && s.Tokens.Output == 10*answers && len(s.Streams) == streams
		})
	}
	answersOpenCode(o, id, "msg_2", openCodeBase+1000, "stop", "")
	counts(1, 1)
	o.db.Exec("PRAGMA wal_checkpoint(TRUNCATE)")
	asksOpenCode(o, id, "msg_3", "Again", openCodeBase+10000)
	answersOpenCode(o, id, "msg_4", openCodeBase+11000, "stop", "")
	o.db.Close() // removes the log
	o.db = sqlitetest.Open(t, filepath.Join(h.dir, "share", "opencode", "opencode.db"))
	o.session(id+"sub", id)
	asksOpenCode(o, id+"sub", "msg_s1", "Look closer", openCodeBase+12000)
	answersOpenCode(o, id+"sub", "msg_s2", openCodeBase+13000, "stop", "")
	counts(3, 2)
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil || strings.Contains(said.String(), "opencode.db: ") {
		t.Errorf("the end: %v\n%s", err, said.String())
	}
	if said := h.sync(t); !strings.Contains(said, "recorded 0 files") {
		t.Errorf("the sync after it:\n%s", said)
	}
	counts(3, 2)
}
