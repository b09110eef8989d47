package agenthistory

import (
	"os"
	"strings"
	"testing"
	"time"

	"tapedeck/ingest"
)

// A run for one session records that session alone. Lines that it copied from a session which was not recorded yet stay
// that session's.
func TestOneSession(t *testing.T) {
	m := newMachine(t)
	text := said(1, 1) + said(1, 2)
	m.write(session(1)+".jsonl", text)
	copied := m.write(session(2)+".jsonl", strings.ReplaceAll(text, session(1), session(2))+said(2, 3))
	later := time.Now().Add(time.Second) // files that are written within one tick of the file system have one time
	if err := os.Chtimes(copied, later, later); err != nil {
		t.Fatal(err)
	}
	m.write(session(3)+".jsonl", said(3, 4))
	run := func(of string) *Result {
		t.Helper()
		m.open()
		y := New(Options{
			Recorder: ingest.NewRecorder(m.stored, ingest.Settings{}), Tenant: "default", From: []string{m.dir}, Progress: m.progress, Session: of,
		})
		res, err := y.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	if res := run(session(2)); res.Files != 1 || res.Recorded != 1 || res.Copied != 2 || m.stored.output() != 1 {
		t.Errorf("%+v, %d tokens", res, m.stored.output())
	}
	if res := run("none"); res.Files != 0 || res.Recorded != 0 || res.Failed != 0 {
		t.Errorf("a session without a file: %+v", res)
	}
	if res := m.sync(); res.Recorded != 2 || res.Copied != 0 || m.stored.output() != 4 {
		t.Errorf("the others: %+v, %d tokens", res, m.stored.output())
	}
}
