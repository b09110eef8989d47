package agenthistory

import (
	"strings"
	"testing"

	"tapedeck/ingest/tap/agenthistory/sqlitetest"
)

// A database of a later version, whose table has another column, is named in one line. So is one
// with a view in place of the table.
func TestOpenClawUnknownTable(t *testing.T) {
	for _, statement := range []string{
		`CREATE TABLE transcript_events (session_id TEXT NOT NULL, seq INTEGER NOT NULL, payload TEXT NOT NULL, created_at INTEGER NOT NULL)`,
		`CREATE VIEW transcript_events AS SELECT 's-2' AS session_id, 1 AS seq, '{}' AS payload, 1767225600000 AS created_at`,
	} {
		m := newMachine(t)
		db := sqlitetest.Open(t, m.write(".openclaw/agents/main/agent/openclaw-agent.sqlite", ""))
		db.Exec(statement)
		res := m.atHome(t)
		if res.Recorded != 0 || res.Failed != 0 || len(res.Problems) != 1 {
			t.Fatalf("%+v", res)
		}
		p := res.Problems[0]
		if want := "a version of OpenClaw's table transcript_events that this program does not know"; !p.Foreign || !strings.HasPrefix(p.Reason, want) || strings.Contains(p.Reason, "\n") {
			t.Errorf("%+v", p)
		}
	}
}

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
