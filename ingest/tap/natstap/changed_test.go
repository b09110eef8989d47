package natstap

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"

	"tapedeck/ingest"
	"tapedeck/ingest/ingesttest"
	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/schema"
)

// loaded returns the state that a position has on disk.
func loaded(t *testing.T, dir string) (s state) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(paths) != 1 {
		return s
	}
	text, err := os.ReadFile(paths[0])
	if err != nil || json.Unmarshal(text, &s) != nil {
		return state{}
	}
	return s
}

// A consumer that is removed while it is read, or between two runs, is made again, and what was
// recorded and acknowledged before is not recorded twice.
func TestConsumerRemoved(t *testing.T) {
	s := natsServer(t, nil)
	_, js := client(t, s)
	stream := agents(t, js, jetstream.LimitsPolicy)
	m := &ingesttest.Memory{}
	opts := Options{Servers: s.ClientURL(), Stream: "AGENTS", Consumer: "c", StateDir: t.TempDir()}
	so := ingest.StreamOptions{Dialect: "generic"}
	recorded := func(n int) {
		t.Helper()
		bounded.Until(t, fmt.Sprint(n, " messages"), func() bool { return check(t, m.Blocks(), 40, false) == n })
		bounded.Until(t, "all to be acknowledged", func() bool {
			st := loaded(t, opts.StateDir)
			return st.Last == uint64(n) && len(st.Done) == 0 && st.Floor == uint64(n)
		})
	}
	r := start(t, m, so, opts)
	publish(t, js, 0, 10, 2)
	recorded(10)
	if err := stream.DeleteConsumer(t.Context(), "c"); err != nil {
		t.Fatal(err)
	}
	publish(t, js, 10, 20, 2)
	recorded(20)
	if _, err := r.stop(); err != nil {
		t.Fatal(err)
	}
	if err := stream.DeleteConsumer(t.Context(), "c"); err != nil {
		t.Fatal(err)
	}
	publish(t, js, 20, 30, 2)
	opts.New = true // of a stream that was not recorded before
	r = start(t, m, so, opts)
	recorded(30)
	if res, err := r.stop(); err != nil || res.Messages != 10 {
		t.Errorf("%+v, %v", res, err)
	}
}

// A stream that is removed and made again while it is recorded counts its messages from 1: they
// are recorded, in streams of their own.
func TestStreamMadeAgain(t *testing.T) {
	for _, consumer := range []string{"", "c"} {
		s := natsServer(t, nil)
		_, js := client(t, s)
		agents(t, js, jetstream.LimitsPolicy)
		m := &ingesttest.Memory{}
		r := start(t, m, ingest.StreamOptions{Dialect: "generic"}, Options{Servers: s.ClientURL(), Stream: "AGENTS", Consumer: consumer, StateDir: t.TempDir()})
		publish(t, js, 0, 20, 2)
		bounded.Until(t, "the first", func() bool { return check(t, m.Blocks(), 30, false) == 20 })
		if err := js.DeleteStream(t.Context(), "AGENTS"); err != nil {
			t.Fatal(err)
		}
		agents(t, js, jetstream.LimitsPolicy)
		publish(t, js, 20, 30, 2)
		bounded.Until(t, "those of the new stream", func() bool { return check(t, m.Blocks(), 30, false) == 30 })
		if res, err := r.stop(); err != nil || res.Messages != 30 || res.Streams != 4 || !r.log.has("created anew") {
			t.Errorf("consumer %q: %+v, %v\n%s", consumer, res, err, r.log.String())
		}
	}
}

// Messages that are purged while the recording is behind are counted and noted.
func TestPurgedWhileBehind(t *testing.T) {
	for _, consumer := range []string{"", "c"} {
		s := natsServer(t, nil)
		_, js := client(t, s)
		stream := agents(t, js, jetstream.LimitsPolicy)
		m := &ingesttest.Memory{}
		r := start(t, m, ingest.StreamOptions{Dialect: "generic", Session: "s"}, Options{Servers: s.ClientURL(), Stream: "AGENTS", Consumer: consumer, StateDir: t.TempDir()})
		publish(t, js, 0, 1, 1)
		bounded.Until(t, "the first", func() bool { return check(t, m.Blocks(), 1, false) == 1 })
		m.Stall()
		const n = 50_000 // more than is sent ahead and held in memory
		publish(t, js, 1, n, 1)
		if err := stream.Purge(t.Context(), jetstream.WithPurgeSequence(n-10)); err != nil {
			t.Fatal(err)
		}
		m.Resume()
		bounded.Until(t, "the last", func() bool { return r.frames()["agents.a0.events\r\n\r\n"+text(n-1)].At != 0 })
		res, err := r.stop()
		if err != nil || res.Removed == 0 || res.Messages+res.Removed != n {
			t.Errorf("consumer %q: %d recorded and %d removed of %d: %v", consumer, res.Messages, res.Removed, n, err)
		}
		notes := 0
		for _, f := range r.frames() {
			if f.Flags.Has(schema.FlagNote | schema.FlagEventGap) {
				notes++
			}
		}
		if notes != 1 {
			t.Errorf("consumer %q: %d notes", consumer, notes)
		}
	}
}

// A server that lost the last messages of a stream, as after a loss of power, uses their numbers
// again: what comes then is recorded, and nothing twice.
func TestStreamWentBack(t *testing.T) {
	fulltest.Long(t)
	for _, consumer := range []string{"", "c"} {
		var opts server.Options
		s := natsServer(t, func(o *server.Options) { o.Port = freePort(t); opts = *o })
		_, js := client(t, s)
		agents(t, js, jetstream.LimitsPolicy)
		publish(t, js, 0, 10, 2)
		s.Shutdown()
		s.WaitForShutdown()
		older := opts
		older.StoreDir = t.TempDir()
		if err := os.CopyFS(older.StoreDir, os.DirFS(opts.StoreDir)); err != nil {
			t.Fatal(err)
		}
		s = natsServer(t, func(o *server.Options) { *o = opts })
		_, js = client(t, s)
		m := &ingesttest.Memory{}
		r := start(t, m, ingest.StreamOptions{Dialect: "generic"}, Options{Servers: s.ClientURL(), Stream: "AGENTS", Consumer: consumer, StateDir: t.TempDir()})
		publish(t, js, 10, 20, 2)
		bounded.Until(t, "the first", func() bool { return check(t, m.Blocks(), 24, false) == 20 })
		s.Shutdown()
		s.WaitForShutdown()
		s = natsServer(t, func(o *server.Options) { *o = older })
		_, js = client(t, s)
		publish(t, js, 20, 24, 2) // with the numbers 11 to 14
		bounded.Until(t, "those with numbers that were used", func() bool { return check(t, m.Blocks(), 24, false) == 24 })
		if res, err := r.stop(); err != nil || res.Messages != 24 || !r.log.has("lost its last messages") {
			t.Errorf("consumer %q: %+v, %v\n%s", consumer, res, err, r.log.String())
		}
	}
}

// A message that its publisher sends twice with the same id is recorded once: JetStream stores
// it once.
func TestPublishedTwice(t *testing.T) {
	s := natsServer(t, nil)
	_, js := client(t, s)
	agents(t, js, jetstream.LimitsPolicy)
	m := &ingesttest.Memory{}
	r := start(t, m, ingest.StreamOptions{Dialect: "generic"}, Options{Servers: s.ClientURL(), Stream: "AGENTS", StateDir: t.TempDir()})
	for i := range 10 {
		if _, err := js.Publish(t.Context(), "agents.x", []byte(text(i/2)), jetstream.WithMsgID(fmt.Sprint(i/2))); err != nil {
			t.Fatal(err)
		}
	}
	bounded.Until(t, "all to be recorded", func() bool { return check(t, m.Blocks(), 5, false) == 5 })
	if res, err := r.stop(); err != nil || res.Messages != 5 {
		t.Errorf("%+v, %v", res, err)
	}
}
