package agenthistory

import (
	"testing"

	"tapedeck/ingest/tap/agenthistory/sqlitetest"
	"tapedeck/schema"
)

// A database of Kilo has the tables of OpenCode.
func TestKilo(t *testing.T) {
	m := newMachine(t)
	db := sqlitetest.Open(t, m.write(".local/share/kilo/kilo.db", ""))
	db.Exec(`CREATE TABLE session (id text PRIMARY KEY, project_id text NOT NULL, parent_id text, directory text NOT NULL, title text NOT NULL, version text NOT NULL,
		time_created integer NOT NULL, time_updated integer NOT NULL)`)
	db.Exec(`CREATE TABLE message (id text PRIMARY KEY, session_id text NOT NULL, time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL)`)
	db.Exec(`CREATE TABLE part (id text PRIMARY KEY, message_id text NOT NULL, session_id text NOT NULL, time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL)`)
	const at = 1767225600000
	db.Exec(`INSERT INTO session VALUES ('ses_1', 'p', NULL, '/w', 'Files', '7.0.0', ?, ?)`, at, at+2000)
	db.Exec(`INSERT INTO message VALUES ('msg_1', 'ses_1', ?, ?, '{"role":"user","time":{"created":1767225600000}}')`, at, at)
	db.Exec(`INSERT INTO part VALUES ('prt_1', 'msg_1', 'ses_1', ?, ?, '{"type":"text","text":"Hello"}')`, at, at)
	db.Exec(`INSERT INTO message VALUES ('msg_2', 'ses_1', ?, ?, ?)`, at+1000, at+2000,
		`{"role":"assistant","modelID":"claude-sonnet-4-5","providerID":"kilo","time":{"created":1767225601000,"completed":1767225602000},"finish":"stop",`+
			`"cost":0.01,"tokens":{"input":20,"output":7,"reasoning":2,"cache":{"read":300,"write":40}}}`)
	db.Exec(`INSERT INTO part VALUES ('prt_2', 'msg_2', 'ses_1', ?, ?, '{"type":"text","text":"Hi.","time":{"start":1767225601000,"end":1767225602000}}')`, at, at)
	if res := m.atHome(t); res.Recorded != 1 || res.Agents[Kilo] != 1 || len(res.Problems) != 0 {
		t.Fatalf("%+v", res)
	}
	if got, want := m.stored.tokens(), (schema.Tokens{Input: 20, CacheRead: 300, CacheWrite5m: 40, Output: 7, Reasoning: 2}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if res := m.atHome(t); res.Recorded != 0 || res.States[StateStored] != 1 {
		t.Errorf("nothing new: %+v", res)
	}
}
