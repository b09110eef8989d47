package natstap

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tapedeck/ingest"
	"tapedeck/ingest/ingesttest"
	"tapedeck/ingest/redact"
	"tapedeck/internal/bounded"
	"tapedeck/internal/syncbuffer"
	"tapedeck/schema"
)

// lines collects a log.
type lines struct{ syncbuffer.Output }

func (l *lines) has(text string) bool { return l.count(text) > 0 }

func (l *lines) count(text string) int { return strings.Count(l.String(), text) }

// running is a recording of a test.
type running struct {
	memory *ingesttest.Memory
	log    *lines
	wait   func() (Result, error) // until it ends
	stop   func() (Result, error)
}

// start records until stop is called.
func start(t *testing.T, m *ingesttest.Memory, so ingest.StreamOptions, opts Options) *running {
	t.Helper()
	r := &running{memory: m, log: &lines{}}
	opts.Log = slog.New(slog.NewTextHandler(io.MultiWriter(r.log), nil))
	ctx, cancel := context.WithCancel(t.Context())
	type outcome struct {
		Result
		error
	}
	done := make(chan outcome, 1)
	go func() {
		res, err := Record(ctx, ingest.NewRecorder(m, ingest.Settings{}), so, opts)
		done <- outcome{res, err}
	}()
	r.wait = sync.OnceValues(func() (Result, error) {
		o := bounded.Receive(t, done)
		return o.Result, o.error
	})
	r.stop = func() (Result, error) {
		cancel()
		return r.wait()
	}
	t.Cleanup(func() { _, _ = r.stop() })
	bounded.Until(t, "the recording to begin", func() bool { return r.log.has("is being recorded") || len(done) > 0 })
	return r
}

// frames returns the frames of all streams by their bytes.
func (r *running) frames() map[string]schema.Frame {
	all := map[string]schema.Frame{}
	for _, id := range r.memory.Streams() {
		for _, f := range r.memory.Frames(id) {
			all[string(f.Raw)] = f
		}
	}
	return all
}

// Subjects with wildcards, headers of several values, reply subjects and any bytes are kept as
// they are; each subject is a stream.
func TestSubjects(t *testing.T) {
	s := natsServer(t, nil)
	nc, _ := client(t, s)
	r := start(t, &ingesttest.Memory{}, ingest.StreamOptions{}, Options{Servers: s.ClientURL(), Subject: "agents.*.events"})
	for _, m := range []*nats.Msg{
		{Subject: "agents.one.events", Data: []byte(`{"a":1}`)},
		{Subject: "agents.two.events", Reply: "back.here", Header: nats.Header{"X-b": {"2", "3: x"}, "a": {"1"}}, Data: []byte("{}\r\n\r\nx")},
		{Subject: "agents.two.other", Data: []byte("no")},
		{Subject: "agents.two.events", Data: []byte{0xff, 0}},
		{Subject: "agents.one.events"},
	} {
		if err := nc.PublishMsg(m); err != nil {
			t.Fatal(err)
		}
	}
	want := map[string]schema.Flags{
		"agents.one.events\r\n\r\n{\"a\":1}":                                            0,
		"agents.two.events back.here\r\nX-b: 2\r\nX-b: 3: x\r\na: 1\r\n\r\n{}\r\n\r\nx": schema.FlagNotJSON,
		"agents.two.events\r\n\r\n\xff\x00":                                             schema.FlagNotJSON | schema.FlagBinary | schema.FlagNUL | schema.FlagInvalidUTF8,
		"agents.one.events\r\n\r\n":                                                     0,
	}
	bounded.Until(t, "all to be recorded", func() bool { return len(r.frames()) == len(want) })
	res, err := r.stop()
	if err != nil || res.Messages != 4 || res.Streams != 2 || res.Frames != 4 || len(res.Sessions) != 2 {
		t.Errorf("%+v, %v", res, err)
	}
	for raw, f := range r.frames() {
		flags, ok := want[raw]
		if !ok || f.Flags != flags || f.Transport != schema.NATS {
			t.Errorf("frame %q: flags %v, want %v", raw, f.Flags, flags)
		}
	}
}

// A header, or a part of the subject, names the session; names of any form are escaped.
func TestSessions(t *testing.T) {
	s := natsServer(t, nil)
	nc, _ := client(t, s)
	for _, c := range []struct {
		name string
		opts Options
		so   ingest.StreamOptions
		want string
	}{
		{"header", Options{SessionHeader: "session-id"}, ingest.StreamOptions{}, "from-header"},
		{"subject", Options{SessionToken: 2}, ingest.StreamOptions{}, "chat-7"},
		{"header before subject", Options{SessionHeader: "Session-Id", SessionToken: 2}, ingest.StreamOptions{}, "from-header"},
		{"named", Options{SessionHeader: "Session-Id"}, ingest.StreamOptions{Session: "mine"}, "mine"},
		{"body", Options{SessionToken: 9}, ingest.StreamOptions{Dialect: "loom"}, "from-body"},
	} {
		c.opts.Servers, c.opts.Subject = s.ClientURL(), "agents.>"
		r := start(t, &ingesttest.Memory{}, c.so, c.opts)
		m := &nats.Msg{Subject: "agents.chat-7.events", Header: nats.Header{"Session-Id": {"from-header"}},
			Data: []byte(`{"type":"message_chunk","session_id":"from-body","event_id":1,"content":"x","id":"think"}`)}
		if err := nc.PublishMsg(m); err != nil {
			t.Fatal(err)
		}
		bounded.Until(t, "the message", func() bool { return len(r.memory.Blocks()) > 0 })
		if res, err := r.stop(); err != nil || len(res.Sessions) != 1 || res.Sessions[0] != c.want {
			t.Errorf("%s: %v, %v", c.name, res.Sessions, err)
		}
	}
}

// The last stream is reported with its own session, whichever stream ends last: a command waits until that can be read.
func TestLastSession(t *testing.T) {
	s := natsServer(t, nil)
	nc, _ := client(t, s)
	for _, order := range [][]string{{"a", "b"}, {"a", "b", "a"}, {"a", "b", "c", "b"}} {
		r := start(t, &ingesttest.Memory{}, ingest.StreamOptions{}, Options{Servers: s.ClientURL(), Subject: "agents.>", SessionToken: 2})
		sessions, last := map[string]bool{}, ""
		for i, session := range order {
			if !sessions[session] {
				sessions[session], last = true, session
			}
			if err := nc.Publish("agents."+session, fmt.Appendf(nil, `{"n":%d}`, i)); err != nil {
				t.Fatal(err)
			}
			bounded.Until(t, "the message", func() bool { return len(r.frames()) == i+1 })
		}
		res, err := r.stop()
		if err != nil || len(res.Sessions) != len(sessions) || res.LastSession != last {
			t.Errorf("%v: the last session is %q of %v, %v", order, res.LastSession, res.Sessions, err)
		}
		if _, there := r.memory.State(res.Last, last); !there {
			t.Errorf("%v: the stream %s has nothing of %s", order, res.Last, last)
		}
	}
}

// Secrets in headers are masked by name and by format, those in the data by format.
func TestSecrets(t *testing.T) {
	s := natsServer(t, nil)
	nc, _ := client(t, s)
	key := "sk-ant-api03-" + strings.Repeat("Ab3dEf7h", 11) + "Xy-AbCdEfAA"
	r := start(t, &ingesttest.Memory{}, ingest.StreamOptions{}, Options{
		Servers: s.ClientURL(), Subject: "agents.x", Headers: redact.NewByName([]string{"X-Own"}, nil, false),
	})
	m := &nats.Msg{Subject: "agents.x", Data: []byte(`{"key":"` + key + `"}`), Header: nats.Header{
		"Authorization": {"Bearer abc123"}, "X-Own": {"mine"}, "X-Note": {"the key is " + key}, "Plain": {"stays"},
	}}
	if err := nc.PublishMsg(m); err != nil {
		t.Fatal(err)
	}
	bounded.Until(t, "the message", func() bool { return len(r.frames()) > 0 })
	for raw, f := range r.frames() {
		if strings.Contains(raw, "abc123") || strings.Contains(raw, "mine") || strings.Contains(raw, key) {
			t.Errorf("a secret is left in %q", raw)
		}
		if !f.Flags.Has(schema.FlagRedacted) || !strings.Contains(raw, "Plain: stays\r\n") || !strings.HasPrefix(raw, "agents.x\r\n") ||
			!strings.Contains(raw, "\r\n\r\n{\"key\":\"[redacted") {
			t.Errorf("%q, %v", raw, f.Flags)
		}
	}
}

// tapedeck's own subjects are refused, and left out of wildcards.
func TestOwnSubjects(t *testing.T) {
	for _, subject := range []string{"tapedeck.>", "tapedeck", "tapedeck.block.default.x", "", "a..b", "a b", "a.>.b"} {
		if _, err := Record(t.Context(), nil, ingest.StreamOptions{}, Options{Subject: subject}); err == nil {
			t.Errorf("%q was not refused", subject)
		}
	}
	s := natsServer(t, nil)
	nc, _ := client(t, s)
	if _, err := Record(t.Context(), nil, ingest.StreamOptions{}, Options{Servers: s.ClientURL(), Stream: "TAPEDECK"}); err == nil {
		t.Error("the stream TAPEDECK was not refused")
	}
	r := start(t, &ingesttest.Memory{}, ingest.StreamOptions{}, Options{Servers: s.ClientURL(), Subject: ">"})
	for _, subject := range []string{"tapedeck.block.default.x", "_INBOX.abc", "agents.x"} {
		if err := nc.Publish(subject, []byte("{}")); err != nil {
			t.Fatal(err)
		}
	}
	bounded.Until(t, "the message", func() bool { return len(r.frames()) > 0 })
	if res, err := r.stop(); err != nil || res.Messages != 1 || res.Skipped != 2 {
		t.Errorf("%+v, %v", res, err)
	}
}

// A subject that the user may not read, and a stream that does not exist, are refused at once.
func TestRefused(t *testing.T) {
	s := natsServer(t, func(o *server.Options) {
		o.Users = []*server.User{{Username: "u", Password: "p", Permissions: &server.Permissions{
			Subscribe: &server.SubjectPermission{Deny: []string{"secret.>"}}, Publish: &server.SubjectPermission{Deny: []string{"$JS.API.STREAM.INFO.HIDDEN"}},
		}}}
	})
	servers := strings.Replace(s.ClientURL(), "nats://", "nats://u:p@", 1)
	for _, c := range []struct {
		opts Options
		want string
	}{
		{Options{Subject: "secret.x"}, "the NATS user may not"},
		{Options{Stream: "HIDDEN"}, "the NATS user may not"},
		{Options{Stream: "NONE"}, "no such stream"},
		{Options{Servers: "nats://127.0.0.1:1", Subject: "x"}, "no NATS server answers"},
		{Options{Servers: strings.Replace(servers, "u:p@", "u:wrong@", 1), Subject: "x"}, "refuses the user"},
	} {
		if c.opts.Servers == "" {
			c.opts.Servers = servers
		}
		_, err := Record(t.Context(), ingest.NewRecorder(&ingesttest.Memory{}, ingest.Settings{}), ingest.StreamOptions{}, c.opts)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), ":p@") || strings.Contains(err.Error(), "wrong") {
			t.Errorf("%+v: %v", c.opts, err)
		}
	}
}

// A subscription that is too slow counts what was dropped, and notes it in the stream.
func TestDropped(t *testing.T) {
	s := natsServer(t, nil)
	nc, _ := client(t, s)
	m := &ingesttest.Memory{}
	r := start(t, m, ingest.StreamOptions{Session: "s", Dialect: "generic"}, Options{Servers: s.ClientURL(), Subject: "agents.x", PendingMessages: 10})
	m.Stall()
	const n = 20_000
	for i := range n {
		if err := nc.Publish("agents.x", []byte(text(i))); err != nil {
			t.Fatal(err)
		}
	}
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	m.Resume()
	bounded.Until(t, "the drops to be noticed", func() bool { return r.log.has("messages were dropped") })
	res, err := r.stop()
	if err != nil || res.Dropped == 0 || res.Messages+res.Dropped != n {
		t.Errorf("%d recorded and %d dropped of %d: %v", res.Messages, res.Dropped, n, err)
	}
	notes := 0
	for raw, f := range r.frames() {
		if f.Flags.Has(schema.FlagNote | schema.FlagEventGap) {
			notes++
			if !strings.Contains(raw, "were dropped") {
				t.Errorf("note %q", raw)
			}
		}
	}
	state, _ := m.State(m.Streams()[0], "s")
	if notes == 0 || state.Counters.Lost == 0 {
		t.Errorf("%d notes, %d lost in the session", notes, state.Counters.Lost)
	}
}

// More subjects than streams may be open end the least recently used ones.
func TestManySubjects(t *testing.T) {
	s := natsServer(t, nil)
	_, js := client(t, s)
	agents(t, js, jetstream.LimitsPolicy)
	const n = 1500
	publish(t, js, 0, n, n)
	r := start(t, &ingesttest.Memory{}, ingest.StreamOptions{Dialect: "generic"}, Options{Servers: s.ClientURL(), Stream: "AGENTS", Streams: 50, StateDir: t.TempDir()})
	bounded.Until(t, "all to be recorded", func() bool { return len(r.frames()) == n })
	if res, err := r.stop(); err != nil || res.Streams != n || res.Frames != n {
		t.Errorf("%d streams, %d frames: %v", res.Streams, res.Frames, err)
	}
	if got := fmt.Sprint(len(r.memory.Streams())); got != fmt.Sprint(n) {
		t.Error(got)
	}
}
