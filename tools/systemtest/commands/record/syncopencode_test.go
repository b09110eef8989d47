package record

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"tapedeck/ingest/tap/agenthistory/sqlitetest"
	"tapedeck/internal/fulltest"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// openCode writes sessions as OpenCode keeps them. Members are those of a JSON object, without the
// braces and without ids.
type openCode interface {
	session(id, parent string)
	message(of, id, members string, at int)
	part(of, message, id, members string)
}

// openCodeBase is when sessions were created, ms.
const openCodeBase = 1770000000000

// openCodeFiles is the storage of versions before 1.2: a folder of small files.
type openCodeFiles struct {
	*agentHome
	t *testing.T
}

func (s *openCodeFiles) session(id, parent string) {
	more := ""
	if parent != "" {
		more = fmt.Sprintf(`,"parentID":%q`, parent)
	}
	s.write(s.t, "share/opencode/storage/session/p1/"+id+".json", fmt.Sprintf(`{"id":%q,"projectID":"p1","directory":"/w/open","title":"New session","version":"1.0.0","time":{"created":%d,"updated":%d}%s}`, id, openCodeBase, openCodeBase+1000, more))
}

func (s *openCodeFiles) message(of, id, members string, _ int) {
	s.write(s.t, "share/opencode/storage/message/"+of+"/"+id+".json", fmt.Sprintf(`{"id":%q,"sessionID":%q,%s}`, id, of, members))
}

func (s *openCodeFiles) part(of, message, id, members string) {
	s.write(s.t, "share/opencode/storage/part/"+message+"/"+id+".json", fmt.Sprintf(`{"id":%q,"messageID":%q,"sessionID":%q,%s}`, id, message, of, members))
}

// openCodeDatabase is the database of version 1.2 and later.
type openCodeDatabase struct{ db *sqlitetest.Database }

func newOpenCodeDatabase(t *testing.T, h *agentHome) *openCodeDatabase {
	dir := filepath.Join(h.dir, "share", "opencode")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	db := sqlitetest.Open(t, filepath.Join(dir, "opencode.db"))
	for _, statement := range []string{
		"PRAGMA journal_mode=WAL",
		"CREATE TABLE `session` (`id` text PRIMARY KEY, `project_id` text NOT NULL, `parent_id` text, `slug` text NOT NULL, `directory` text NOT NULL, `title` text NOT NULL, `version` text NOT NULL, `time_created` integer NOT NULL, `time_updated` integer NOT NULL)",
		"CREATE TABLE `message` (`id` text PRIMARY KEY, `session_id` text NOT NULL, `time_created` integer NOT NULL, `time_updated` integer NOT NULL, `data` text NOT NULL, CONSTRAINT `fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE)",
		"CREATE TABLE `part` (`id` text PRIMARY KEY, `message_id` text NOT NULL, `session_id` text NOT NULL, `time_created` integer NOT NULL, `time_updated` integer NOT NULL, `data` text NOT NULL)",
		"CREATE INDEX `message_session_time_created_id_idx` ON `message` (`session_id`, `time_created`, `id`)",
		"CREATE INDEX `part_session_idx` ON `part` (`session_id`)",
	} {
		db.Exec(statement)
	}
	return &openCodeDatabase{db}
}

func (s *openCodeDatabase) session(id, parent string) {
	s.db.Exec("INSERT OR REPLACE INTO session VALUES (?, 'p1', nullif(?, ''), 'slug', '/w/open', 'New session', '1.2.0', ?, ?)", id, parent, openCodeBase, openCodeBase+1000)
}

func (s *openCodeDatabase) message(of, id, members string, at int) {
	s.db.Exec("INSERT INTO message VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET data = excluded.data, time_updated = excluded.time_updated", id, of, at, time.Now().UnixMilli(), "{"+members+"}")
}

func (s *openCodeDatabase) part(of, message, id, members string) {
	s.db.Exec("INSERT INTO part VALUES (?, ?, ?, 0, ?, ?) ON CONFLICT (id) DO UPDATE SET data = excluded.data, time_updated = excluded.time_updated", id, message, of, time.Now().UnixMilli(), "{"+members+"}")
}

// openCodeFilesOf returns the contents of a database and its log, and the names of the files beside them. The locks of readers
// are in the index of the log.
func openCodeFilesOf(t *testing.T, path string) map[string]string {
	files := sqlitetest.Files(t, path)
	if _, ok := files[path+"-shm"]; !ok {
		t.Error("the log has no index")
	}
	files[path+"-shm"] = ""
	return files
}

// asksOpenCode writes what a user says.
func asksOpenCode(s openCode, of, id, text string, at int) {
	s.message(of, id, fmt.Sprintf(`"role":"user","agent":"build","model":{"providerID":"anthropic","modelID":"claude-opus-4-1"},"time":{"created":%d}`, at), at)
	s.part(of, id, id+"a", fmt.Sprintf(`"type":"text","text":%q`, text))
}

// beginsOpenCode writes an answer that is not complete.
func beginsOpenCode(s openCode, of, id string, at int) {
	s.message(of, id, fmt.Sprintf(`"role":"assistant","modelID":"claude-opus-4-1","providerID":"anthropic","mode":"build","time":{"created":%d}`, at), at)
}

// answersOpenCode writes an answer of one step, which used 100 tokens of input and 10 of output.
func answersOpenCode(s openCode, of, id string, at int, finish, tool string) {
	const used = `"cost":0.01,"tokens":{"input":100,"output":10,"reasoning":0,"cache":{"read":0,"write":0}}`
	s.message(of, id, fmt.Sprintf(`"role":"assistant","modelID":"claude-opus-4-1","providerID":"anthropic","mode":"build","finish":%q,%s,"time":{"created":%d,"completed":%d}`, finish, used, at, at+3000), at)
	s.part(of, id, id+"a", `"type":"step-start"`)
	if tool != "" {
		s.part(of, id, id+"b", fmt.Sprintf(`"type":"tool","callID":%q,"tool":"bash","state":{"status":"completed","input":{"command":"ls"},"output":"x","title":"ls","time":{"start":%d,"end":%d}}`, tool, at+1000, at+2000))
	} else {
		s.part(of, id, id+"b", fmt.Sprintf(`"type":"text","text":"Answer","time":{"start":%d,"end":%d}`, at, at+2500))
	}
	s.part(of, id, id+"c", fmt.Sprintf(`"type":"step-finish","reason":%q,%s`, finish, used))
}

// A session of OpenCode shows the same whether it is in files or in a database.
func TestSyncOfOpenCode(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	for name, open := range map[string]func(*testing.T, *agentHome) openCode{
		"files":    func(t *testing.T, h *agentHome) openCode { return &openCodeFiles{h, t} },
		"database": func(t *testing.T, h *agentHome) openCode { return newOpenCodeDatabase(t, h) },
	} {
		t.Run(name, func(t *testing.T) {
			h, id := newAgentHome(t), "ses_"+uuid.NewString()[:8]
			o := open(t, h)
			const base = openCodeBase
			o.session(id, "")
			asksOpenCode(o, id, "msg_1", "List the files", base)
			answersOpenCode(o, id, "msg_2", base+1000, "tool-calls", "call_1")
			answersOpenCode(o, id, "msg_3", base+5000, "stop", "")
			h.sync(t)
			s := h.shows(t, id, func(s *synced) bool { return s.Tokens.Input == 200 && s.Tokens.Output == 20 && s.Tools.Calls == 1 })
			if s.Title != "List the files" || s.Tags["project"] != "/w/open" || len(s.Runs) != 1 || s.Runs[0].Status != "ok" || s.Started.UnixMilli() != base {
				t.Errorf("%+v", s)
			}
			if said := h.sync(t); !strings.Contains(said, "recorded 0 files") {
				t.Errorf("the second sync:\n%s", said)
			}
			asksOpenCode(o, id, "msg_4", "And now", base+20000)
			answersOpenCode(o, id, "msg_5", base+21000, "stop", "")
			o.session(id+"sub", id)
			asksOpenCode(o, id+"sub", "msg_s1", "Look", base+2000)
			answersOpenCode(o, id+"sub", "msg_s2", base+3000, "stop", "")
			beginsOpenCode(o, id, "msg_6", base+30000)
			h.sync(t)
			s = h.shows(t, id, func(s *synced) bool {
				return s.Tokens.Input == 400 && s.Tokens.Output == 40 && len(s.Streams) == 2
			})
			if s.Tools.Calls != 1 || len(s.Runs) != 3 {
				t.Errorf("%+v", s)
			}
			answersOpenCode(o, id, "msg_6", base+30000, "stop", "") // it was being written
			h.sync(t)
			h.shows(t, id, func(s *synced) bool { return s.Tokens.Input == 500 && s.Tokens.Output == 50 })
			if said := h.sync(t); !strings.Contains(said, "recorded 0 files") {
				t.Errorf("the last sync:\n%s", said)
			}
		})
	}
}

// OpenCode moves its files to the database when it is updated, and leaves them: nothing counts
// twice, and what follows is recorded from the database into the same stream. The database is not
// touched.
func TestSyncOfMovedOpenCodeSessions(t *testing.T) {
	t.Parallel()
	h, id := newAgentHome(t), "ses_"+uuid.NewString()[:8]
	write := func(o openCode) {
		o.session(id, "")
		asksOpenCode(o, id, "msg_1", "Look", openCodeBase)
		answersOpenCode(o, id, "msg_2", openCodeBase+1000, "stop", "")
	}
	write(&openCodeFiles{h, t})
	h.sync(t)
	before := h.shows(t, id, func(s *synced) bool { return s.Tokens.Output == 10 })
	o := newOpenCodeDatabase(t, h)
	write(o)
	h.sync(t)
	asksOpenCode(o, id, "msg_3", "Again", openCodeBase+5000)
	answersOpenCode(o, id, "msg_4", openCodeBase+6000, "stop", "")
	path := filepath.Join(h.dir, "share", "opencode", "opencode.db")
	files := openCodeFilesOf(t, path)
	if said := h.sync(t); !strings.Contains(said, "found    1 file, 1 opencode") {
		t.Errorf("sync:\n%s", said)
	}
	s := h.shows(t, id, func(s *synced) bool { return s.Tokens.Output == 20 && s.Tokens.Input == 200 })
	if len(s.Streams) != 1 || s.Streams[0].ID != before.Streams[0].ID || len(s.Runs) != 2 {
		t.Errorf("streams %+v, before %+v, runs %+v", s.Streams, before.Streams, s.Runs)
	}
	if !maps.Equal(files, openCodeFilesOf(t, path)) {
		t.Error("the sync changed the database or its log, or made a file beside them")
	}
	stdout, _, exit := commandtest.Finish(t, h.command(t, "list", "--json"))
	var list struct {
		Items []struct{ Path, State string }
	}
	if err := json.Unmarshal([]byte(stdout), &list); err != nil || exit != 0 || len(list.Items) != 1 || list.Items[0].Path != path+"#"+id || list.Items[0].State != "stored" {
		t.Errorf("exit %d, %v: %s", exit, err, stdout)
	}
}

// Databases that are none of OpenCode's, damaged, being written or of a later version are named
// with the reason.
func TestSyncOfBadOpenCodeDatabases(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	h, id := newAgentHome(t), "ses_"+uuid.NewString()[:8]
	o := newOpenCodeDatabase(t, h)
	o.session(id, "")
	asksOpenCode(o, id, "msg_1", "Look", openCodeBase)
	answersOpenCode(o, id, "msg_2", openCodeBase+1000, "stop", "")
	o.db.Exec("CREATE TABLE session_v2 (id text PRIMARY KEY)")
	o.db.Exec("INSERT INTO session_v2 VALUES ('ses_two')")
	_, said, exit := commandtest.Finish(t, h.command(t))
	if exit != commandtest.ExitFailed || !strings.Contains(said, "opencode.db: its sessions of OpenCode 2 are in tables that are not read") || !strings.Contains(said, "recorded 1 file") {
		t.Errorf("a database with sessions of OpenCode 2: exit %d\n%s", exit, said)
	}
	other := filepath.Join(h.dir, "other")
	if err := os.MkdirAll(other, 0o755); err != nil {
		t.Fatal(err)
	}
	h.write(t, "other/text/opencode.db", strings.Repeat("no database\n", 100))
	h.write(t, "other/short/opencode.db", "SQLite format 3\x00")
	foreign := sqlitetest.Open(t, filepath.Join(other, "opencode-foreign.db"))
	foreign.Exec("CREATE TABLE session (id text)")
	views := sqlitetest.Open(t, filepath.Join(other, "opencode-views.db"))
	views.Exec("CREATE VIEW session AS WITH i(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM i) SELECT i AS id, 'p' AS directory FROM i")
	for _, dir := range []string{"directory/opencode.db", "busy"} {
		if err := os.MkdirAll(filepath.Join(other, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	said = h.sync(t, "--from", other)
	for _, want := range []string{"text/opencode.db: not a database of OpenCode", "short/opencode.db: not a database of OpenCode", "opencode-foreign.db: not a database of OpenCode", "opencode-views.db: not a database of OpenCode"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is missing in\n%s", want, said)
		}
	}
	busy := sqlitetest.Open(t, filepath.Join(other, "busy", "opencode.db"))
	busy.Exec("CREATE TABLE big (x)")
	busy.Exec("PRAGMA cache_size=2")
	busy.Exec("BEGIN")
	busy.Exec("WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500) INSERT INTO big SELECT hex(zeroblob(2000)) FROM n")
	if _, stderr, exit := commandtest.Finish(t, h.command(t, "--from", other)); exit != commandtest.ExitFailed || !strings.Contains(stderr, "busy/opencode.db: another program has kept it locked for 2s; the next sync reads it") {
		t.Errorf("a database that is being written: exit %d\n%s", exit, stderr)
	}
}
