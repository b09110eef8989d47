package failure

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"tapedeck/internal/app/lifecycle/erasure"
	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/internal/local"
	"tapedeck/schema/clickhouse"
	state "tapedeck/schema/lifecycle/erasure"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// An export whose server is stopped in the middle fails, says so, and leaves no file that seems
// whole. Later it succeeds.
func TestExportWhileServerStops(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	c := commandtest.NewCluster(t, local.Options{})
	r := restartableOf(t, c, "ingest,sink,api")
	const frames, size = 250, 48 << 10 // more than the buffers of a connection take, and not compressible
	var text bytes.Buffer
	noise := make([]byte, size)
	for i := range frames {
		if _, err := rand.Read(noise); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&text, "{\"n\":%d,\"noise\":%q}\n", i, base64.StdEncoding.EncodeToString(noise))
	}
	r.now().Post(t, "/v1/ingest?dialect=generic&session=big", text.Bytes())
	r.now().UntilStreams(t, "big", 1)

	held, reached := make(chan struct{}), make(chan struct{})
	release, reach := sync.OnceFunc(func() { close(held) }), sync.OnceFunc(func() { close(reached) })
	defer release()
	var came atomic.Int64
	link := newRelay(t, firstReady(r), func(fromServer bool, piece []byte) <-chan struct{} {
		if !fromServer || came.Add(int64(len(piece))) < 1<<20 {
			return nil
		}
		reach()
		return held
	})
	home := t.TempDir()
	through := &commandtest.Instance{URL: link.url(), Dir: filepath.Join(home, "data")}
	part, whole := filepath.Join(home, "part.tape"), filepath.Join(home, "whole.tape")
	cmd := through.Command(t, "export", "big", "-o", part)
	var said commandtest.LogBuffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	bounded.Receive(t, reached)
	r.stop(t)
	release()
	_ = bounded.Command(t, cmd) // its exit code is checked
	if exit := cmd.ProcessState.ExitCode(); exit != commandtest.ExitFailed || !strings.Contains(said.String(), "export big") {
		t.Errorf("exit %d, want %d: %s", exit, commandtest.ExitFailed, said.String())
	}
	raw := func(of string) string {
		t.Helper()
		stdout, _, _ := through.Run(t, "export", of, "--format", "ndjson", "-o", "-")
		return stdout
	}
	if strings.Contains(said.String(), "holds what came up to there") {
		if got := raw(part); len(got) >= text.Len() || !strings.HasPrefix(text.String(), got) {
			t.Errorf("the incomplete file has %d bytes of %d, or others", len(got), text.Len())
		}
	}
	r.begin(t)
	through.Must(t, "export", "big", "-o", whole)
	if got := raw(whole); got != text.String() {
		t.Errorf("the export after the restart has %d bytes, want %d", len(got), text.Len())
	}
}

// statements delays the connection on which a statement is sent to ClickHouse.
type statements struct {
	mu   sync.Mutex // guards what follows
	wait *regexp.Regexp
	held chan struct{} // closed when one is held
}

// hold waits for a statement from now on. The channel is closed when it is held.
func (s *statements) hold(expression string) <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wait, s.held = regexp.MustCompile(expression), make(chan struct{})
	return s.held
}

func (s *statements) delay(fromServer bool, piece []byte) <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if fromServer || s.wait == nil || !s.wait.Match(piece) {
		return nil
	}
	s.wait = nil
	close(s.held)
	return make(chan struct{}) // until the relay closes the connection
}

// held is a server whose statements to ClickHouse can be held.
type held struct {
	statements
	*commandtest.Cluster
	server *restarted
	wire   *relay
}

func newHeld(t *testing.T) *held {
	t.Helper()
	h := &held{Cluster: commandtest.NewCluster(t, local.Options{})}
	_, address, through := throughRelay(t, h.Servers.ClickHouseDSN())
	h.wire = newRelay(t, func() string { return address }, h.delay)
	h.server = restartable(t, h.Servers.NATSURL(), through(h.wire), "ingest,sink,api")
	return h
}

// stopHeld stops the server, whose statement then is never sent, and starts it again.
func (h *held) stopHeld(t *testing.T) {
	t.Helper()
	h.server.stop(t)
	h.wire.sever()
	h.wire.mend()
}

// A session that is decoded again while the server stops keeps its facts, and can be decoded
// afterwards: wherever the stop meets it.
func TestRedecodeWhileServerStops(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	h := newHeld(t)
	db, err := clickhouse.Open(h.Servers.ClickHouseDSN())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	h.server.now().Must(t, "record", "--session", "old", commandtest.TextFile(t, []byte(commandtest.LoomRun)))
	facts := func() string {
		t.Helper()
		var text strings.Builder
		for _, part := range []string{"", "/timeline", "/transcript"} {
			status, body, _ := h.server.now().Get(t, "/v1/sessions/old"+part)
			if status != http.StatusOK {
				t.Fatalf("%s: %d %s", part, status, body)
			}
			text.Write(body)
		}
		return text.String()
	}
	recorded := facts()
	for _, statement := range []string{`INSERT INTO \W?spans`, `INSERT INTO \W?redecodes`} {
		if err := db.Exec(t.Context(), "ALTER TABLE spans UPDATE name = 'of an earlier version' WHERE true SETTINGS mutations_sync = 1"); err != nil {
			t.Fatal(err)
		}
		before := facts()
		if before == recorded {
			t.Fatal("the earlier version has the same facts: this shows nothing")
		}
		reached := h.hold(statement)
		cmd := h.server.now().Command(t, "redecode", "old")
		var said commandtest.LogBuffer
		cmd.Stderr = &said
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		bounded.Receive(t, reached)
		h.stopHeld(t)
		_ = bounded.Command(t, cmd) // its exit code is checked
		if exit := cmd.ProcessState.ExitCode(); exit != commandtest.ExitFailed || !strings.Contains(said.String(), "session old") {
			t.Errorf("%s: exit %d, want %d: %s", statement, exit, commandtest.ExitFailed, said.String())
		}
		h.server.begin(t)
		if got := facts(); got != before {
			t.Errorf("%s: the facts have changed:\n%s\nbefore:\n%s", statement, got, before)
		}
		h.server.now().Must(t, "redecode", "old")
		if got := facts(); got != recorded {
			t.Errorf("%s: decoded again after the restart:\n%s\nwant\n%s", statement, got, recorded)
		}
	}
}

// An erasure that is under way when the server stops goes on after the restart, and erases what
// it covers and nothing else.
func TestErasureWhileServerStops(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	h := newHeld(t)
	const frames = 200
	for _, session := range []string{"kept", "erased"} {
		h.server.now().Must(t, "record", "--session", session, "--dialect", "loom", commandtest.TextFile(t, []byte(loadLines(session, frames))))
		checkLoad(t, h.server.now(), session, frames)
	}
	reached := h.hold(`(?i)\bDELETE\b`)
	h.server.now().Must(t, "erase", "--yes", "erased")
	stands := func() state.State {
		t.Helper()
		var list struct{ Items []erasure.Answer }
		_, body, _ := h.server.now().Get(t, "/v1/erasures")
		if err := json.Unmarshal(body, &list); err != nil || len(list.Items) != 1 {
			t.Fatalf("%v: %s", err, body)
		}
		return list.Items[0].State
	}
	bounded.Receive(t, reached)
	h.stopHeld(t)
	h.server.begin(t)
	if now := stands(); now == state.Verified {
		t.Errorf("the erasure is %s although it was stopped", now)
	}
	bounded.Until(t, "the erasure to go on", func() bool { now := stands(); return now == state.Removed || now == state.Verified })
	if status, body, _ := h.server.now().Get(t, "/v1/sessions/erased"); status != http.StatusNotFound && status != http.StatusGone {
		t.Errorf("the erased session is answered %d: %s", status, body)
	}
	checkLoad(t, h.server.now(), "kept", frames)
}
