package agenthistory

import (
	"slices"
	"strings"
	"testing"

	"tapedeck/ingest/tap/agenthistory/sqlitetest"
	"tapedeck/schema"
)

// gooseDatabase makes a database of Goose with one session. ledger says whether it has a ledger.
func gooseDatabase(t *testing.T, path string, ledger bool) *sqlitetest.Database {
	db := sqlitetest.Open(t, path)
	db.Exec(`PRAGMA journal_mode = WAL`)
	db.Exec(`CREATE TABLE schema_version (version INTEGER PRIMARY KEY)`)
	db.Exec(`CREATE TABLE sessions (id TEXT PRIMARY KEY, working_dir TEXT NOT NULL, created_at TIMESTAMP, updated_at TIMESTAMP,
		accumulated_total_tokens INTEGER, accumulated_input_tokens INTEGER, accumulated_output_tokens INTEGER, provider_name TEXT, model_config_json TEXT)`)
	db.Exec(`CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, message_id TEXT, session_id TEXT NOT NULL, role TEXT NOT NULL,
		content_json TEXT NOT NULL, created_timestamp INTEGER NOT NULL, timestamp TIMESTAMP, tokens INTEGER, metadata_json TEXT)`)
	version := 14
	if ledger {
		version = 15
		db.Exec(`CREATE TABLE usage_ledger (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, created_timestamp INTEGER NOT NULL, model TEXT,
			input_tokens INTEGER, output_tokens INTEGER, total_tokens INTEGER, cache_read_tokens INTEGER, cache_write_tokens INTEGER, cost REAL)`)
	}
	db.Exec(`INSERT INTO schema_version VALUES (?)`, version)
	db.Exec(`INSERT INTO sessions VALUES ('20260101_1', '/w', '2026-01-01 00:00:00', '2026-01-01 00:00:02', 912, 900, 12, 'openai', '{"model_name":"gpt-4o"}')`)
	db.Exec(`INSERT INTO sessions VALUES ('20260101_2', '/w', '2026-01-01 00:00:00', '2026-01-01 00:00:00', NULL, NULL, NULL, NULL, NULL)`)
	gooseSays(db, "user", "Hello", 1767225600)
	gooseSays(db, "assistant", "Hi.", 1767225601)
	return db
}

func gooseSays(db *sqlitetest.Database, role, text string, at int) {
	db.Exec(`INSERT INTO messages (session_id, role, content_json, created_timestamp) VALUES ('20260101_1', ?, ?, ?)`,
		role, `[{"type":"text","text":"`+text+`"}]`, at)
}

// A database of Goose is read while Goose has it open. Its sessions grow, and their tokens count once.
func TestGoose(t *testing.T) {
	for _, ledger := range []bool{false, true} {
		m := newMachine(t)
		db := gooseDatabase(t, m.write(".local/share/goose/sessions/sessions.db", ""), ledger)
		want := schema.Tokens{Input: 900, Output: 12}
		if ledger {
			db.Exec(`INSERT INTO usage_ledger VALUES (1, '20260101_1', 1767225601, 'gpt-4o', 900, 12, 912, 500, 100, 0.1)`)
			want = schema.Tokens{Input: 300, CacheRead: 500, CacheWrite5m: 100, Output: 12}
		}
		if res := m.atHome(t); res.Recorded != 1 || res.Agents[Goose] != 1 || len(res.Problems) != 0 {
			t.Fatalf("%+v", res)
		}
		if got := m.stored.tokens(); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
		if res := m.atHome(t); res.Recorded != 0 {
			t.Errorf("nothing new: %+v", res)
		}
		gooseSays(db, "user", "Thanks.", 1767225660)
		db.Exec(`UPDATE sessions SET updated_at = '2026-01-01 00:01:00', accumulated_input_tokens = 1900, accumulated_output_tokens = 20 WHERE id = '20260101_1'`)
		if want = (schema.Tokens{Input: 1900, Output: 20}); ledger {
			db.Exec(`INSERT INTO usage_ledger VALUES (2, '20260101_1', 1767225661, 'gpt-4o', 1000, 8, 1008, 900, 0, 0.1)`)
			want = schema.Tokens{Input: 400, CacheRead: 1400, CacheWrite5m: 100, Output: 20}
		}
		if res := m.atHome(t); res.Recorded != 1 || len(m.stored.frames) != 1 {
			t.Errorf("it has grown: %+v, %d streams", res, len(m.stored.frames))
		}
		if got := m.stored.tokens(); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
		db.Close()
		if res := m.atHome(t); res.Recorded != 0 {
			t.Errorf("Goose has ended: %+v", res)
		}
	}
}

// A session that was begun before Goose had a ledger keeps its tokens, and counts none twice.
func TestGooseLedgerBegins(t *testing.T) {
	m := newMachine(t)
	db := gooseDatabase(t, m.write(".local/share/goose/sessions/sessions.db", ""), true)
	m.atHome(t)
	gooseSays(db, "user", "Thanks.", 1767225660)
	db.Exec(`INSERT INTO usage_ledger VALUES (1, '20260101_1', 1767225661, 'gpt-4o', 1000, 8, 1008, 900, 0, 0.1)`)
	db.Exec(`UPDATE sessions SET updated_at = '2026-01-01 00:01:00', accumulated_input_tokens = 1900, accumulated_output_tokens = 20 WHERE id = '20260101_1'`)
	m.atHome(t)
	if got, want := m.stored.tokens(), (schema.Tokens{Input: 1000, CacheRead: 900, Output: 20}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// A database of a newer schema is recorded and named; one that lacks a table or is locked is named, and
// read by a later run.
func TestGooseOtherDatabases(t *testing.T) {
	m := newMachine(t)
	db := gooseDatabase(t, m.write(".local/share/goose/sessions/sessions.db", ""), true)
	db.Exec(`INSERT INTO schema_version VALUES (99)`)
	if res := m.atHome(t); res.Recorded != 1 || res.Failed != 0 || len(res.Problems) != 1 || !strings.Contains(res.Problems[0].Reason, "version 99 of Goose") {
		t.Errorf("%+v", res)
	}
	db.Exec(`ALTER TABLE messages RENAME TO letters`)
	if res := m.atHome(t); res.Recorded != 0 || len(res.Problems) != 1 || !res.Problems[0].Foreign || !strings.Contains(res.Problems[0].Reason, "database of Goose") {
		t.Errorf("without messages: %+v", res)
	}
	db.Exec(`ALTER TABLE letters RENAME TO messages`)
	gooseSays(db, "user", "Go on.", 1767225700)
	db.Exec(`PRAGMA wal_checkpoint(TRUNCATE)`)
	db.Exec(`PRAGMA journal_mode = DELETE`)
	db.Exec(`BEGIN EXCLUSIVE`)
	res := m.atHome(t)
	db.Exec(`COMMIT`)
	if res.Recorded > 1 || res.Recorded == 0 && len(res.Problems) == 0 {
		t.Errorf("locked: %+v", res)
	}
	m.atHome(t)
	n := 0
	for _, of := range m.stored.frames {
		n += len(of)
	}
	if n != 4 {
		t.Errorf("%d frames, want 3 messages and the totals", n)
	}
}

// The line of a row of the assistant says whether its turn ends with it.
func TestGooseTurns(t *testing.T) {
	m := newMachine(t)
	db := gooseDatabase(t, m.write(".local/share/goose/sessions/sessions.db", ""), false)
	says := func(role, content string) {
		db.Exec(`INSERT INTO messages (session_id, role, content_json, created_timestamp) VALUES ('20260101_1', ?, ?, 1767225660)`, role, content)
	}
	gooseSays(db, "user", "x", 1767225660)
	gooseSays(db, "assistant", "I look.", 1767225660)
	for _, id := range []string{"t1", "t2"} {
		says("assistant", `[{"type":"toolRequest","id":"`+id+`","toolCall":{"status":"success","value":{"name":"ls","arguments":{}}}}]`)
		says("user", `[{"type":"toolResponse","id":"`+id+`","toolResult":{"status":"success","value":{"content":[{"type":"text","text":"a"}]}}}]`)
	}
	gooseSays(db, "assistant", "done", 1767225660)
	m.atHome(t)
	var got []string
	for line := range strings.Lines(string(m.stored.raw(t))) {
		if _, last, found := strings.Cut(line, `,"last":`); found {
			got = append(got, strings.TrimSpace(last))
		}
	}
	// The first answer is that of gooseDatabase.
	if want := []string{"true}", "false}", "false}", "false}", "true}"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
