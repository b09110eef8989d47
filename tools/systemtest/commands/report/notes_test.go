package report

import (
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tapedeck/internal/bounded"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// Notes are written by those with the scope note, with the name of their token, and read by those with
// the scope read. They select sessions, and are erased with theirs.
func TestNotes(t *testing.T) {
	t.Parallel()
	commandtest.NeedEngine(t)
	dir := filepath.Join(t.TempDir(), "data")
	s, err := commandtest.StartUp(t, dir, "--tokens")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if _, err := s.Stop(); err != nil {
			t.Errorf("%v\n%s", err, s.Log)
		}
	}()
	text, err := os.ReadFile(filepath.Join(dir, "admin-token"))
	if err != nil {
		t.Fatal(err)
	}
	admin := strings.TrimSpace(string(text))
	with := func(token string, args ...string) (string, string, int) {
		t.Helper()
		cmd := s.Command(t, args...)
		cmd.Env = append(cmd.Env, "TAPEDECK_TOKEN="+token)
		return commandtest.Finish(t, cmd)
	}
	must := func(token string, args ...string) string {
		t.Helper()
		out, diag, exit := with(token, args...)
		if exit != 0 {
			t.Fatalf("tapedeck %q: exit %d\n%s%s", args, exit, out, diag)
		}
		return strings.TrimSpace(out)
	}
	token := func(name, tenant string, scopes ...string) string {
		args := []string{"tokens", "create", name, "--tenant", tenant}
		for _, scope := range scopes {
			args = append(args, "--scope", scope)
		}
		return must(admin, args...)
	}
	recorder, reader := token("recorder", "acme", "record"), token("reader", "acme", "read")
	writer, other := token("grace", "acme", "read", "note"), token("other", "other", "admin")
	for _, id := range []string{"a/b", "c"} {
		must(recorder, "record", "--no-wait", "--session", id, commandtest.TextFile(t, []byte("{\"n\":1}\n{\"n\":2}\n")))
		bounded.Until(t, "the recording shows", func() bool {
			_, _, exit := with(reader, "show", id)
			return exit == 0
		})
	}
	id := must(writer, "notes", "add", "a/b", "read the wrong file", "--label", "bug", "--thumb", "down", "--at", "+0s")
	must(writer, "notes", "add", "c", "--label", "bug")
	commandtest.Contains(t, "the notes of a session", must(reader, "notes", "a/b"), id, "read the wrong file", "bug", "down", "grace")
	if out := must(reader, "sessions", "--label", "bug", "--thumb", "down"); !strings.Contains(out, "a/b") || strings.Contains(out, "\nc ") {
		t.Errorf("the sessions with the note are\n%s", out)
	}
	for _, refused := range []struct {
		token, want string
		args        []string
	}{
		{reader, "note", []string{"notes", "add", "c", "x"}},
		{reader, "note", []string{"notes", "delete", "a/b", id}},
		{recorder, "read", []string{"notes", "a/b"}},
		{other, "no session", []string{"notes", "a/b"}},
		{other, "no session", []string{"notes", "add", "a/b", "x"}},
		{other, "no note", []string{"notes", "delete", "a/b", id}},
		{writer, "says nothing", []string{"notes", "change", "a/b", id}},
		{writer, "not in the session", []string{"notes", "add", "c", "x", "--at", "+9h"}},
	} {
		if out, diag, exit := with(refused.token, refused.args...); exit == 0 || !strings.Contains(diag, refused.want) {
			t.Errorf("tapedeck %q: exit %d\n%s%s", refused.args, exit, out, diag)
		}
	}
	if out, diag, exit := with(other, "notes"); exit != 0 || out != "" || !strings.Contains(diag, "no such notes") {
		t.Errorf("another tenant lists: exit %d\n%s%s", exit, out, diag)
	}
	commandtest.Contains(t, "the changed note", must(writer, "notes", "change", "a/b", id, "it was right", "--thumb", "up"), "it was right", "up")
	commandtest.Contains(t, "the audit log", must(admin, "audit", "--as-tenant", "acme", "--action", "note.write"), "grace", "note.write")
	viaMCP(t, s, writer, reader)
	commandtest.Contains(t, "the note of an agent", must(reader, "notes", "c"), "by an agent", "grace")
	if entries := must(admin, "audit", "--as-tenant", "acme", "--action", "note.write", "--json"); strings.Count(entries, `"object":"c"`) < 2 {
		t.Errorf("the audit log lacks the note of an agent:\n%s", entries)
	}
	tapes(t, with, must, writer, other, token("exporter", "acme", "read:raw"), token("mover", "third", "record"), token("reads", "third", "read"))
	must(admin, "erase", "--yes", "--as-tenant", "acme", "a/b")
	if out := must(reader, "notes"); strings.Contains(out, "it was right") || !strings.Contains(out, "bug") {
		t.Errorf("after the erasure of a session the notes are\n%s", out)
	}
}

// viaMCP writes a note by the tool for agents, which a token without the scope note may not.
func viaMCP(t *testing.T, s *commandtest.Instance, writer, reader string) {
	t.Helper()
	for token, want := range map[string]string{writer: "The note is written", reader: "may not write notes"} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/mcp", strings.NewReader(
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add_note","arguments":{"session":"c","text":"by an agent"}}}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+token)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(resp.Body)
		if err := errors.Join(err, resp.Body.Close()); err != nil {
			t.Fatal(err)
		}
		commandtest.Contains(t, "the answer to an agent", string(text), want)
	}
}

// tapes moves the session a/b with its note to another tenant: the author names the importer, a second import changes nothing, and
// a token without the scope note imports the recording alone.
func tapes(t *testing.T, with func(string, ...string) (string, string, int), must func(string, ...string) string, writer, other, exporter, mover, reads string) {
	t.Helper()
	file, bare := filepath.Join(t.TempDir(), "a.tape"), filepath.Join(t.TempDir(), "b.tape")
	must(exporter, "export", "a/b", "-o", file)
	must(exporter, "export", "--no-notes", file, "-o", bare)
	commandtest.Contains(t, "the check", must(exporter, "import", "--check", file), "NOTES")
	must(other, "import", file)
	commandtest.Contains(t, "the imported note", must(other, "notes", "a/b"), "it was right", "up", "grace (imported by other)")
	must(other, "import", file)
	if out := must(other, "notes", "a/b", "--json"); strings.Count(out, `"id"`) != 1 {
		t.Errorf("after the second import the notes are\n%s", out)
	}
	must(other, "import", bare, "--session", "bare")
	if out := must(other, "notes", "bare"); out != "" {
		t.Errorf("a tape without notes brings\n%s", out)
	}
	must(exporter, "export", "a/b", "-o", file, "--force")
	out, diag, exit := with(mover, "import", file, "--no-wait")
	if exit != 1 || !strings.Contains(diag, "1 note not restored") || !strings.Contains(diag, "note") {
		t.Errorf("a token without the scope note: exit %d\n%s%s", exit, out, diag)
	}
	bounded.Until(t, "the recording shows without notes", func() bool {
		out, _, exit := with(reads, "notes", "a/b")
		return exit == 0 && out == ""
	})
	must(mover, "import", file, "--no-notes", "--no-wait")
	if out := must(writer, "notes", "a/b", "--json"); strings.Contains(out, "imported by") {
		t.Errorf("the notes of the first tenant are\n%s", out)
	}
}
