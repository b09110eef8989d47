package agenthistory

import (
	"strings"
	"testing"

	"tapedeck/ingest/tap/agenthistory/sqlitetest"
)

// A database of OpenClaw has the lines of the files of earlier versions. A session that is in both counts
// once, and goes on in the database.
func TestOpenClawDatabase(t *testing.T) {
	lines := caseLines(t, "pi/testdata/cases/file.txtar")
	for _, withFile := range []bool{false, true} {
		m := newMachine(t)
		if withFile {
			m.write(".openclaw/agents/main/sessions/s-2.jsonl", strings.Join(lines[:9], ""))
			m.atHome(t)
		}
		db := sqlitetest.Open(t, m.write(".openclaw/agents/main/agent/openclaw-agent.sqlite", ""))
		db.Exec(`CREATE TABLE auth_profile_store (store_key TEXT)`)
		if res := m.atHome(t); res.Recorded != 0 || len(res.Problems) != 0 {
			t.Errorf("an earlier version: %+v", res)
		}
		db.Exec(`CREATE TABLE transcript_events (session_id TEXT NOT NULL, seq INTEGER NOT NULL, event_json TEXT NOT NULL, created_at INTEGER NOT NULL, PRIMARY KEY (session_id, seq))`)
		add := func(from, to int) {
			for i := from; i < to; i++ {
				db.Exec(`INSERT INTO transcript_events VALUES ('s-2', ?, ?, ?)`, i, strings.TrimSpace(lines[i]), 1767225600000+i)
			}
		}
		add(0, len(lines)-3)
		if res := m.atHome(t); res.Recorded != 1 || res.Failed != 0 {
			t.Errorf("%+v", res)
		}
		add(len(lines)-3, len(lines))
		if res := m.atHome(t); res.Recorded != 1 || res.Frames != 3 {
			t.Errorf("it has grown: %+v", res)
		}
		if res := m.atHome(t); res.Recorded != 0 {
			t.Errorf("nothing new: %+v", res)
		}
		if got, want := m.stored.tokens(), lineHomes[len(lineHomes)-1].tokens; got != want {
			t.Errorf("with a file %v: %+v, want %+v", withFile, got, want)
		}
	}
}
