package agenthistory

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"tapedeck/ingest"
	"tapedeck/schema"
	"tapedeck/schema/block"
)

// stored is a publisher that keeps frames by stream and seq, as the tables do. fail, if set,
// may refuse a block.
type stored struct {
	mu     sync.Mutex
	frames map[string]map[uint64]schema.Frame
	usages map[string]schema.Usage
	states map[string]schema.StreamState
	// sessions has the sessions of the blocks.
	sessions map[string]bool
	fail     func(session string) error
}

func (s *stored) Publish(_ context.Context, p ingest.EncodedBlock, done func(error)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fail != nil {
		if err := s.fail(p.Session); err != nil {
			return err
		}
	}
	b, err := block.Decode(p.Data)
	if err != nil {
		return err
	}
	of := s.frames[b.State.StreamID]
	if of == nil {
		of = map[uint64]schema.Frame{}
		s.frames[b.State.StreamID] = of
	}
	for _, f := range b.Frames {
		f.Raw = []byte(string(f.Raw))
		of[f.Seq] = f
	}
	for _, u := range b.Facts.Usages {
		if key := p.Session + " " + u.ID; s.usages[key].Version <= u.Version {
			s.usages[key] = u
		}
	}
	s.sessions[p.Session] = true
	if s.states[b.State.StreamID].Version <= b.State.Version {
		s.states[b.State.StreamID] = b.State
	}
	go done(nil)
	return nil
}

func (s *stored) output() (n uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, u := range s.usages {
		n += u.Tokens.Output
	}
	return n
}

// machine is a home with files, and what was stored of it.
type machine struct {
	t        *testing.T
	dir      string
	stored   *stored
	progress *Progress
	limit    int
}

func newMachine(t *testing.T) *machine {
	m := &machine{t: t, dir: t.TempDir(), stored: &stored{
		frames: map[string]map[uint64]schema.Frame{}, usages: map[string]schema.Usage{}, states: map[string]schema.StreamState{},
		sessions: map[string]bool{},
	}}
	m.open()
	t.Cleanup(func() { m.progress.Close() })
	return m
}

// open opens the progress, as a new process does.
func (m *machine) open() {
	m.t.Helper()
	if m.progress != nil {
		m.progress.Close()
	}
	var err error
	if m.progress, err = OpenProgress(filepath.Join(m.dir, "state"), "server", "default"); err != nil {
		m.t.Fatal(err)
	}
}

func (m *machine) syncer() *Syncer {
	return New(Options{
		Recorder: ingest.NewRecorder(m.stored, ingest.Settings{}), Tenant: "default", From: []string{m.dir}, Progress: m.progress, FrameLimit: m.limit,
	})
}

func (m *machine) sync() *Result {
	m.t.Helper()
	m.open()
	res, err := m.syncer().Run(m.t.Context())
	if err != nil {
		m.t.Fatal(err)
	}
	return res
}

func (m *machine) write(name, text string) string {
	m.t.Helper()
	path := filepath.Join(m.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		m.t.Fatal(err)
	}
	return path
}

// session is the id of a session by its number, and said an answer in it, of one token.
func session(n int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", n) }

func said(of, n int) string {
	return fmt.Sprintf(`{"type":"assistant","sessionId":%q,"uuid":"u%d","cwd":"/w","isSidechain":false,"timestamp":"2026-01-01T00:00:%02dZ","message":{"id":"msg_%d","role":"assistant","model":"claude","content":[{"type":"text","text":"x"}],"usage":{"input_tokens":0,"output_tokens":1}}}`+"\n", session(of), n, n%60, n)
}

// A process that is killed between two sources leaves a progress that the next one goes on
// from, also with a half-written last line.
func TestKilledRun(t *testing.T) {
	m := newMachine(t)
	for i := range 5 {
		m.write(session(i)+".jsonl", said(i, 10*i)+said(i, 10*i+1))
	}
	broken := errors.New("away")
	m.stored.fail = func(of string) error {
		if of == session(3) {
			return ingest.Permanent(broken)
		}
		return nil
	}
	m.open()
	if _, err := m.syncer().Run(t.Context()); !errors.Is(err, broken) {
		t.Fatalf("the run ended with %v", err)
	}
	m.stored.fail = nil
	text, err := os.ReadFile(m.progress.path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(m.progress.path, text[:len(text)-20], 0o600); err != nil {
		t.Fatal(err)
	}
	m.sync()
	if got := m.stored.output(); got != 10 || len(m.stored.frames) != 5 {
		t.Errorf("%d tokens of %d streams", got, len(m.stored.frames))
	}
	if res := m.sync(); res.Recorded != 0 || res.States[StateStored] != 5 {
		t.Errorf("%+v", res)
	}
	for id, s := range m.stored.states {
		if s.Ended == 0 || s.Frames != 2 {
			t.Errorf("stream %s: %+v", id, s)
		}
	}
}

// The progress is written anew when most of it is superseded, and forgotten on demand.
func TestProgressFile(t *testing.T) {
	m := newMachine(t)
	path, text := "", ""
	for i := range 100 {
		text += said(1, i)
		path = m.write(session(1)+".jsonl", text)
		m.sync()
	}
	raw, err := os.ReadFile(m.progress.path)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(raw), "\n"); n > 80 {
		t.Errorf("the progress has %d lines", n)
	}
	if e := m.progress.paths[path]; len(e.Lines) != 200 || e.Frames != 100 || m.stored.output() != 100 {
		t.Errorf("%d ids, %d frames, %d tokens", len(e.Lines), e.Frames, m.stored.output())
	}
	copied := m.write(session(2)+".jsonl", strings.ReplaceAll(text, session(1), session(2))+said(2, 200))
	later := time.Now().Add(time.Second) // files that are written within one tick of the file system have one time
	if err := os.Chtimes(copied, later, later); err != nil {
		t.Fatal(err)
	}
	m.sync()
	if got := m.stored.output(); got != 101 {
		t.Errorf("with a copy %d tokens", got)
	}
	now := time.Now()
	if latest := m.progress.Sample(1, 0, now.Add(time.Minute)); len(latest) != 1 || latest[0].Session != session(2) {
		t.Errorf("the latest are %+v", latest)
	}
	if latest := m.progress.Sample(3, 5, now.Add(-time.Minute)); len(latest) != 0 {
		t.Errorf("a minute ago %+v was there", latest)
	}
	if err := m.progress.Forget(); err != nil {
		t.Fatal(err)
	}
	if res := m.sync(); res.Recorded != 2 || m.stored.output() != 101 {
		t.Errorf("%+v, %d tokens", res, m.stored.output())
	}
	other, err := ReadProgress(filepath.Join(m.dir, "state"), "other", "default")
	if err != nil || len(other.streams) != 0 {
		t.Errorf("another server: %v, %d", err, len(other.streams))
	}
	if _, err := OpenProgress(filepath.Join(m.dir, "state"), "server", "default"); err == nil {
		t.Error("two processes have the progress")
	} else if _, ok := errors.AsType[*LockedError](err); !ok {
		t.Error(err)
	}
}

// Copies of a folder are one source; files of one name with other content are several.
func TestTwins(t *testing.T) {
	m := newMachine(t)
	text := said(1, 1) + said(1, 2)
	m.write("a/"+session(1)+".jsonl", text)
	m.write("b/"+session(1)+".jsonl", text+said(1, 3))
	m.write("c/"+session(1)+".jsonl", said(1, 1)+said(1, 4))
	res := m.sync()
	if res.Recorded != 2 || m.stored.output() != 4 {
		t.Errorf("%+v, %d tokens", res, m.stored.output())
	}
	if res := m.sync(); res.Recorded != 0 || m.stored.output() != 4 {
		t.Errorf("again: %+v, %d tokens", res, m.stored.output())
	}
}

// A large file, and a line beyond all limits, take a bounded amount of memory.
func TestLargeFile(t *testing.T) {
	m := newMachine(t)
	m.limit = 1 << 20
	path := m.write(session(1)+".jsonl", said(1, 1))
	if err := os.Truncate(path, 64<<20); err != nil { // a line of zeros
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("\n" + said(1, 2)); err != nil {
		t.Fatal(err)
	}
	f.Close()
	found, err := Find([]string{m.dir})
	if err != nil {
		t.Fatal(err)
	}
	m.progress.Plan(found)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	c, err := m.progress.scan(t.Context(), found.Sources[0], m.limit)
	if err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if c.frames < 66 || c.own != 2 {
		t.Errorf("%d frames, of which %d are identified", c.frames, c.own)
	}
	if grown := int64(after.HeapSys) - int64(before.HeapSys); grown > 32<<20 {
		t.Errorf("the heap has grown by %d bytes", grown)
	}
}

// A sample has the latest sessions, each once, and others of all ages.
func TestSample(t *testing.T) {
	p := NewProgress()
	for i := range 20 {
		for _, stream := range []string{"a", "b"} {
			p.put(&entry{Path: fmt.Sprint(i, stream), Stream: fmt.Sprint(i, stream), Session: fmt.Sprint(i), Modified: int64(i), Frames: 1})
		}
	}
	p.put(&entry{Path: "d", Stream: "d", Session: "d", Modified: 30, Frames: 1, Deleted: true})
	p.put(&entry{Path: "c", Stream: "c", Session: "c", Modified: 30, Copy: true})
	for _, tc := range []struct {
		latest, others int
		want           string
	}{
		{3, 5, "19 18 17 14 11 7 4 0"}, // the others are the 3rd, 6th, 10th, 13th and 17th of 17
		{3, 0, "19 18 17"},
		{1, 1, "19 0"},
		{19, 5, "19 18 17 16 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1 0"},
		{30, 5, "19 18 17 16 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1 0"},
	} {
		var got []string
		for _, r := range p.Sample(tc.latest, tc.others, time.Now()) {
			got = append(got, r.Session)
		}
		if got := strings.Join(got, " "); got != tc.want {
			t.Errorf("%d latest and %d others: %s, want %s", tc.latest, tc.others, got, tc.want)
		}
	}
}

// An entry of the progress keeps ids as they are.
func TestIDList(t *testing.T) {
	text, err := json.Marshal(&entry{Stream: "s", Lines: idList{1, 1 << 63, 42}})
	if err != nil {
		t.Fatal(err)
	}
	var e entry
	if err := json.Unmarshal(text, &e); err != nil || len(e.Lines) != 3 || e.Lines[1] != 1<<63 || e.Lines[2] != 42 {
		t.Errorf("%v, %v", err, e.Lines)
	}
}

// Pipes and devices beside a source, or in the place of one that was found, are not read.
func TestIrregularFiles(t *testing.T) {
	m := newMachine(t)
	conversation := `{"sessionId":"s%d","projectHash":"h","startTime":"2026-01-01T00:00:00Z","messages":[` + "\n" +
		`{"id":"m%d","timestamp":"2026-01-01T00:00:00Z","type":"user","content":"x"}]}`
	for n, place := range []func(string) error{
		func(path string) error { return syscall.Mkfifo(path, 0o600) },
		func(path string) error { return os.Symlink("/dev/zero", path) },
	} {
		m.write(fmt.Sprintf("tmp/%d/chats/session.json", n), fmt.Sprintf(conversation, n, n))
		if err := place(filepath.Join(m.dir, fmt.Sprintf("tmp/%d/.project_root", n))); err != nil {
			t.Fatal(err)
		}
	}
	path := m.write(session(1)+".jsonl", said(1, 1))
	found, err := Find([]string{filepath.Join(m.dir, "tmp"), path})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Remove(path), syscall.Mkfifo(path, 0o600)); err != nil {
		t.Fatal(err)
	}
	m.progress.Plan(found)
	bad := 0
	for _, s := range found.Sources {
		if s.State == StateBad {
			bad++
		}
		if s.Project != "" {
			t.Errorf("the project of %s is %q", s.Path, s.Project)
		}
	}
	if len(found.Sources) != 3 || bad != 1 {
		t.Errorf("%d sources, of which %d are bad", len(found.Sources), bad)
	}
}

// A session whose first message is long, since it holds pictures, is recorded; also behind
// lines that are no messages.
func TestLongFirstMessage(t *testing.T) {
	m := newMachine(t)
	long := strings.Replace(said(1, 1), `"text":"x"`, `"text":"`+strings.Repeat("x", 3<<20)+`"`, 1)
	m.write(session(1)+".jsonl", long+said(1, 2))
	m.write(session(2)+".jsonl", fmt.Sprintf(`{"type":"queue-operation","sessionId":%q}`+"\n", session(2))+strings.NewReplacer(session(1), session(2), "u1", "u3", "msg_1", "msg_3").Replace(long))
	if res := m.sync(); res.Recorded != 2 || m.stored.output() != 3 {
		t.Errorf("%+v, %d tokens", res, m.stored.output())
	}
}

// A file whose first line is longer than a frame, or that begins with many lines without a session, is recorded.
func TestLongHeads(t *testing.T) {
	m := newMachine(t)
	long := strings.Replace(said(1, 1), `"text":"x"`, `"text":"`+strings.Repeat("x", 17<<20)+`"`, 1)
	m.write(session(1)+".jsonl", long+said(1, 2))
	m.write("rollout-2026-01-01T00-00-00-"+session(2)+".jsonl",
		`{"timestamp":"2026-01-01T00:00:00Z","type":"session_meta","payload":{"id":"`+session(2)+`","instructions":"`+strings.Repeat("x", 17<<20)+`"}}
{"timestamp":"2026-01-01T00:00:01Z","type":"event_msg","payload":{"type":"user_message","message":"hello"}}
`)
	summaries := strings.Repeat(`{"type":"summary","summary":"earlier","leafUuid":"u9"}`+"\n", 250)
	m.write(session(3)+".jsonl", summaries+said(3, 1))
	m.write(session(4)+".jsonl", strings.Repeat("x", 17<<20)+"\nnot a session\n")
	res := m.sync()
	if res.Recorded != 3 || len(m.stored.states) != 3 || m.stored.output() != 2 { // the answers of sessions 1 and 3 that fit into frames
		t.Errorf("%+v, %d tokens", res, m.stored.output())
	}
	for _, n := range []int{1, 2, 3} {
		if !m.stored.sessions[session(n)] {
			t.Errorf("session %d is not recorded", n)
		}
	}
}
