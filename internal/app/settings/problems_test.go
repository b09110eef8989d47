package settings

import (
	"strings"
	"testing"
)

// Problems of every kind are reported together: those of the file in its order, then the others.
func TestAllAtOnce(t *testing.T) {
	file := write(t, `listen: 4600
max-tags: many
clickhouse: postgres://localhost/x
clickhouse-password-file: /nonexistent
colour: red
replicas: 9
allow-host: [tapedeck.example.com]
allow-origin: [https://ui.example.com/page]
max-streams: 1
max-streams: 2
redact-rule: /nonexistent.yaml
no-redact: true
`, 0o600)
	env := map[string]string{"TAPEDECK_NATS": "ftp://h", "TAPEDECK_MAX_FILL": "0"}
	err := check(t, env, "--config", file, "--max-readers", "1", "--max-readers", "2")
	if err == nil {
		t.Fatal("all is well")
	}
	lines := strings.Split(strings.ReplaceAll(err.Error(), file, "FILE"), "\n")
	want := []string{
		"FILE:1: --listen", "--max-tags=many (FILE:2)", "FILE:3: --clickhouse:", "FILE:4: --clickhouse-password-file: there is no file", "FILE:5: there is no setting \"colour\"", "--replicas=9 (FILE:6)",
		"FILE:7: --allow-host goes with --tokens", "FILE:8: --allow-origin \"https://ui.example.com/page\": it must be", "FILE:10: max-streams stands in line 9 already",
		"FILE:12: --no-redact goes without --redact-rule", "--max-fill=0 (environment variable TAPEDECK_MAX_FILL)", "--max-readers is given more than once",
		"TAPEDECK_NATS: --nats",
	}
	for i := range max(len(lines), len(want)) {
		if i >= len(lines) || i >= len(want) || !strings.HasPrefix(lines[i], want[i]) {
			t.Fatalf("line %d:\n%s\nwant lines that begin with\n%s", i+1, strings.Join(lines, "\n"), strings.Join(want, "\n"))
		}
	}
}

// Where a setting has a problem of its own, conflicts with it are not reported: what was meant is not known.
func TestConflictWithRefused(t *testing.T) {
	err := check(t, nil, "--config", write(t, "tokens: maybe\nallow-host: [x.example.com]\n", 0o600))
	if err == nil || strings.Count(err.Error(), "\n") != 0 || !strings.Contains(err.Error(), "--tokens=maybe") {
		t.Errorf("%v", err)
	}
}

// A command that is no server takes from a server's file how ClickHouse is reached, and nothing else.
func TestFileOfServer(t *testing.T) {
	file := write(t, "nats-listen: 127.0.0.1:4222\nlisten: 127.0.0.1:1\nclickhouse: clickhouse://h:9000/d\ndata: /srv/spool\n", 0o600)
	r, s, err := load(t, nil, "migrate", "--config", file)
	if err != nil {
		t.Fatal(err)
	}
	if m := r.Migrate; m.ClickHouse != "clickhouse://h:9000/d" || m.Data != "" || s.Of("clickhouse").String() != file+":3" {
		t.Errorf("%+v", m)
	}
	if _, _, err := load(t, nil, "migrate", "--config", write(t, "clickhuose: x\n", 0o600)); err == nil || !strings.Contains(err.Error(), `did you mean "clickhouse"?`) {
		t.Errorf("a misspelt name: %v", err)
	}
	if r, _, err := load(t, map[string]string{"TAPEDECK_CONFIG": file}, "migrate", "--clickhouse", "clickhouse://other:9000/d"); err != nil || r.Migrate.ClickHouse != "clickhouse://other:9000/d" {
		t.Errorf("with a flag: %v", err)
	}
}
