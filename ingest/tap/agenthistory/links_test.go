package agenthistory

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// link makes a link in the folder of a machine.
func (m *machine) link(target, name string) {
	m.t.Helper()
	path := filepath.Join(m.dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.Symlink(target, path)); err != nil {
		m.t.Fatal(err)
	}
}

// others returns the problems without that of the progress, which is in the folder too.
func (m *machine) others(list []Problem) []Problem {
	return slices.DeleteFunc(list, func(p Problem) bool { return p.Path == m.progress.path })
}

// Links within the folder are followed, also in a loop; those to other places are named, and
// nothing behind them is read.
func TestLinks(t *testing.T) {
	m, outside := newMachine(t), newMachine(t)
	secret := outside.write(session(7)+".jsonl", said(7, 70))
	outside.write("storage/session/p/ses_out.json", "{}")
	m.write("a/"+session(1)+".jsonl", said(1, 1))
	m.link(filepath.Join(m.dir, "a"), "b/inside")
	m.link("../..", "b/c/loop")
	m.link("nowhere", "b/broken.jsonl")
	m.link(secret, "b/file.jsonl")
	m.link(outside.dir, "b/folder")
	m.link("../"+filepath.Base(m.dir)+"/../"+filepath.Base(outside.dir)+"/none", "b/gone")
	m.write("oc/storage/message/none.json", "")
	m.link(filepath.Join(outside.dir, "storage/session/p"), "oc/storage/session/p")
	m.write("chats/session.json", `{"sessionId":"s1","projectHash":"h","startTime":"2026-01-01T00:00:00Z","messages":[`+"\n"+`{"id":"m1","timestamp":"2026-01-01T00:00:00Z","type":"user","content":"x"}]}`)
	m.link(secret, ".project_root")
	res := m.sync()
	if res.Recorded != 2 || res.Failed != 0 || m.stored.output() != 1 {
		t.Errorf("%+v, %d tokens", res, m.stored.output())
	}
	named := map[string]string{}
	for _, p := range m.others(res.Problems) {
		name, err := filepath.Rel(m.dir, p.Path)
		if err != nil || !p.Foreign {
			t.Errorf("%+v: %v", p, err)
		}
		named[name] = p.Reason
	}
	for name, reason := range map[string]string{"b/file.jsonl": errOutside.Error(), "b/folder": errOutside.Error(), ".project_root": errOutside.Error(), "oc/storage/session/p": errLink.Error()} {
		if named[name] != reason {
			t.Errorf("%s: %q", name, named[name])
		}
	}
	if len(named) != 4 {
		t.Errorf("named are %v", named)
	}
	for id, s := range m.stored.states {
		if strings.Contains(s.Source, outside.dir) {
			t.Errorf("stream %s is of %s", id, s.Source)
		}
	}
	// The folder that is searched may be a link itself.
	through := filepath.Join(outside.dir, "through")
	if err := os.Symlink(m.dir, through); err != nil {
		t.Fatal(err)
	}
	if found, err := Find([]string{through}); err != nil || len(found.Sources) != 3 { // with the progress
		t.Errorf("%v, %+v", err, found)
	}
}

// A folder that was moved, and is still reached by its earlier path, has the same sources: what is
// new of them is recorded, and their new paths are saved.
func TestMovedBehindLink(t *testing.T) {
	chat := func(messages ...string) string {
		return `{"sessionId":"s1","projectHash":"h","startTime":"2026-01-01T00:00:00Z","messages":[` + "\n" + strings.Join(messages, ",\n") + "\n]}"
	}
	message := func(id string) string {
		return `{"id":"` + id + `","timestamp":"2026-01-01T00:00:00Z","type":"user","content":"x"}`
	}
	for name, tc := range map[string]struct {
		file, before, after string
		stored              int // frames, of which one is new
	}{
		"lines":    {"p/" + session(1) + ".jsonl", said(1, 1), said(1, 1) + said(1, 2), 2},
		"document": {"chats/session.json", chat(message("m1")), chat(message("m1"), message("m2")), 3}, // the head is a frame
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			earlier, later := filepath.Join(m.dir, "earlier"), filepath.Join(m.dir, "later")
			sync := func(dir string) *Result {
				t.Helper()
				m.open()
				y := m.syncer()
				y.From = []string{dir}
				res, err := y.Run(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				return res
			}
			m.write("earlier/"+tc.file, tc.before)
			sync(earlier)
			if err := errors.Join(os.Rename(earlier, later), os.Symlink(later, earlier)); err != nil {
				t.Fatal(err)
			}
			path := m.write("later/"+tc.file, tc.after)
			if res := sync(later); res.Recorded != 1 || res.States[StateGrown] != 1 || res.States[StateCopy] != 0 {
				t.Errorf("%+v", res)
			}
			if e := m.progress.paths[path]; e == nil || len(m.progress.paths) != 1 {
				t.Errorf("the paths of the progress: %v", m.progress.paths)
			}
			for id, frames := range m.stored.frames {
				if len(frames) != tc.stored || len(m.stored.frames) != 1 {
					t.Errorf("%d streams, stream %s has %d frames", len(m.stored.frames), id, len(frames))
				}
			}
			if res := sync(earlier); res.Recorded != 0 || res.States[StateCopy] != 0 {
				t.Errorf("by the earlier path: %+v", res)
			}
		})
	}
}

// Folders, sockets and pipes with the name of a session, and files of two gigabytes without
// content, take no time and hold nothing up.
func TestObstacles(t *testing.T) {
	m := newMachine(t)
	m.write(session(1)+".jsonl", said(1, 1))
	for _, name := range []string{"dir.jsonl", "opencode.db", "storage/session/p/ses_1.json", "storage/message/ses_1/msg_1.json"} {
		if err := os.MkdirAll(filepath.Join(m.dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := unix.Mkfifo(filepath.Join(m.dir, "pipe.jsonl"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(m.dir) // the path of a socket is short
	socket, err := net.Listen("unix", "socket.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	for _, name := range []string{"holes.jsonl", "x/opencode.db", "chats/holes.json"} {
		if err := os.Truncate(m.write(name, ""), 2<<30); err != nil {
			t.Fatal(err)
		}
	}
	began := time.Now()
	res := m.sync()
	t.Logf("%v", time.Since(began))
	others := m.others(res.Problems)
	if res.Recorded != 1 || res.Failed != 0 || len(others) != 3 || m.stored.output() != 1 {
		t.Errorf("%+v, %d tokens", res, m.stored.output())
	}
	for _, p := range others {
		if !p.Foreign || p.Reason == "" {
			t.Errorf("%+v", p)
		}
	}
}
