// Package sqlitetest lets tests write databases with SQLite in a process of its own.
package sqlitetest

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"tapedeck/internal/fulltest"
)

// script reads statements, each as a line of JSON, and prints the rows of each statement.
const script = `
import json, sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
for line in sys.stdin:
    try:
        statement, args = json.loads(line)
        answer = {"rows": db.execute(statement, args).fetchall()}
    except sqlite3.Error as e:
        answer = {"error": str(e)}
    print(json.dumps(answer), flush=True)
db.close()
`

// Database is a connection of SQLite.
type Database struct {
	t     testing.TB
	cmd   *exec.Cmd
	in    *json.Encoder
	close func() error
	out   *bufio.Reader
}

// Open opens a database, and creates it if it does not exist. The test is skipped without python3,
// which includes SQLite.
func Open(t testing.TB, path string) *Database {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		fulltest.Missing(t, "python3 is not installed")
	}
	d := &Database{t: t, cmd: exec.Command(python, "-c", script, path)}
	d.cmd.Stderr = os.Stderr
	in, err := d.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := d.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := d.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	d.in, d.close, d.out = json.NewEncoder(in), in.Close, bufio.NewReader(out)
	t.Cleanup(d.Kill)
	return d
}

// Exec executes a statement.
func (d *Database) Exec(statement string, args ...any) {
	d.t.Helper()
	d.Query(statement, args...)
}

// Query executes a statement and returns its rows, with numbers as json.Number.
func (d *Database) Query(statement string, args ...any) [][]any {
	d.t.Helper()
	if err := d.in.Encode([]any{statement, append([]any{}, args...)}); err != nil {
		d.t.Fatal(err)
	}
	line, err := d.out.ReadString('\n')
	if err != nil {
		d.t.Fatal(err)
	}
	var answer struct {
		Rows  [][]any
		Error string
	}
	dec := json.NewDecoder(strings.NewReader(line))
	dec.UseNumber()
	if err = dec.Decode(&answer); err == nil && answer.Error != "" {
		err = errors.New(answer.Error)
	}
	if err != nil {
		d.t.Fatalf("%.200s: %v", statement, err)
	}
	return answer.Rows
}

// Close closes the connection, upon which SQLite copies its log into the database and removes the
// log.
func (d *Database) Close() {
	d.t.Helper()
	if err := errors.Join(d.close(), d.cmd.Wait()); err != nil {
		d.t.Fatal(err)
	}
	d.cmd.Process = nil
}

// Kill ends the process without closing the connection. It does nothing after Close.
func (d *Database) Kill() {
	if d.cmd.Process != nil {
		_ = d.cmd.Process.Kill()
		_ = d.cmd.Wait()
		d.cmd.Process = nil
	}
}

// Files returns the contents of a database and of the files beside it, by file name.
func Files(t testing.TB, path string) map[string]string {
	t.Helper()
	names, err := filepath.Glob(path + "*")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(text)
	}
	return files
}

// Remove removes a file.
func Remove(t testing.TB, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}
