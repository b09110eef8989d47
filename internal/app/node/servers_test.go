package node

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	natsserver "github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	njs "github.com/nats-io/nats.go/jetstream"
)

func TestCheckVersion(t *testing.T) {
	for _, c := range []struct {
		version, oldest string
		ok              bool
	}{
		{"26.7.1", "26.2", true}, {"26.2.0", "26.2", true}, {"26.1.9", "26.2", false}, {"25.12.3", "26.2", false}, {"27.1", "26.2", true},
		{"2.9.25", "2.10", false}, {"2.10.0", "2.10", true}, {"v2.12.1", "2.12", true}, {"2.11.0-dev", "2.12", false}, {"unknown", "2.10", true}, {"", "2.10", true},
	} {
		got := checkVersion("NATS", c.version, c.oldest, "another")
		if got.OK != c.ok || !c.ok && (!strings.Contains(got.Detail, c.version) || !strings.Contains(got.Detail, c.oldest) || got.Do == "") {
			t.Errorf("%s, at least %s: %+v", c.version, c.oldest, got)
		}
	}
}

func TestCheckClocks(t *testing.T) {
	for _, c := range []struct {
		ahead map[string]time.Duration
		most  time.Duration
		want  string // "" for none
	}{
		{map[string]time.Duration{"ClickHouse": 29 * time.Second, "NATS": -29 * time.Second}, 30 * time.Second, ""},
		{map[string]time.Duration{"ClickHouse": 3 * time.Minute}, 30 * time.Second, "the clock of ClickHouse is 3m0s ahead of"},
		{map[string]time.Duration{"NATS": -time.Hour}, 30 * time.Second, "the clock of NATS is 1h0m0s behind"},
		{map[string]time.Duration{"NATS": -time.Hour}, 0, ""},
		{nil, time.Second, ""},
	} {
		got := checkClocks(c.ahead, c.most)
		if got.OK != (c.want == "") || !got.Advisory || !strings.Contains(got.Detail, c.want) || c.want != "" && got.Do == "" {
			t.Errorf("%v, at most %v: %+v", c.ahead, c.most, got)
		}
	}
}

// A frame of the greatest size must fit into a message, also where the server has NATS's default limit.
func TestCheckPayload(t *testing.T) {
	for _, c := range []struct {
		payload int64
		frame   int
		local   bool
		do      string // "" for none
	}{
		{20 << 20, 16 << 20, false, ""}, {20 << 20, 16 << 20, true, ""}, {1 << 20, 256 << 10, false, ""},
		{1 << 20, 16 << 20, false, "set max_payload of the NATS server to 20MB"},
		{16 << 20, 16 << 20, false, "set max_payload of the NATS server to 20MB"},
		{20 << 20, 100 << 20, false, "set max_payload of the NATS server above 100"},
		{20 << 20, 100 << 20, true, "lower --max-frame-bytes"},
	} {
		got := checkPayload(c.payload, c.frame, c.local)
		if got.OK != (c.do == "") || !got.Advisory || !strings.HasPrefix(got.Do, c.do) || !got.OK && !strings.Contains(got.Detail, "--max-frame-bytes") {
			t.Errorf("max_payload %d, frames of %d: %+v", c.payload, c.frame, got)
		}
	}
}

// TestRefusePayload starts a node of serve with a real NATS server whose messages are too small for frames.
func TestRefusePayload(t *testing.T) {
	s, err := natsserver.NewServer(&natsserver.Options{Host: "127.0.0.1", Port: -1, NoLog: true, NoSigs: true}) // max_payload is NATS's default, 1 MiB
	if err != nil {
		t.Fatal(err)
	}
	go s.Start()
	defer func() { s.Shutdown(); s.WaitForShutdown() }()
	if !s.ReadyForConnections(10 * time.Second) {
		t.Fatal("NATS does not start")
	}
	cfg := Config{
		Roles: Roles{Ingest: true}, Servers: s.ClientURL(), MaxFrame: 16 << 20, SpoolDir: t.TempDir(), Log: slog.New(slog.DiscardHandler),
		Connect: func(o ...nats.Option) (*nats.Conn, error) { return nats.Connect(s.ClientURL(), o...) },
	}
	_, err = Start(t.Context(), cfg)
	if err == nil || !strings.Contains(err.Error(), "NATS takes messages of 1.0 MiB at most (max_payload)") || !strings.Contains(err.Error(), "set max_payload of the NATS server to 20MB, or lower --max-frame-bytes") {
		t.Errorf("a node with frames of 16 MiB: %v", err)
	}
	conn, err := nats.Connect(s.ClientURL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for what, n := range map[string]*Node{
		"small frames":   {NATS: conn, Config: Config{Roles: Roles{Ingest: true}, Servers: s.ClientURL(), MaxFrame: 256 << 10}},
		"no ingest":      {NATS: conn, Config: Config{Roles: Roles{API: true}, Servers: s.ClientURL(), MaxFrame: 16 << 20}},
		"its own server": {NATS: conn, Config: Config{Roles: Roles{Ingest: true}, MaxFrame: 16 << 20}},
	} {
		if err := n.refusePayload(); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// A NATS server without JetStream is described with what to do.
func TestNoJetStream(t *testing.T) {
	s, err := natsserver.NewServer(&natsserver.Options{Host: "127.0.0.1", Port: -1, NoLog: true, NoSigs: true})
	if err != nil {
		t.Fatal(err)
	}
	go s.Start()
	defer func() { s.Shutdown(); s.WaitForShutdown() }()
	if !s.ReadyForConnections(10 * time.Second) {
		t.Fatal("NATS does not start")
	}
	conn, err := nats.Connect(s.ClientURL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	js, err := njs.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	_, err = js.Stream(t.Context(), "x")
	n := &Node{NATS: conn, Config: Config{Servers: "nats://u:geheim@h:4222"}}
	got := n.noJetStream(err).Error()
	if !strings.Contains(got, "has no JetStream") || !strings.Contains(got, "-js") || strings.Contains(got, "geheim") {
		t.Errorf("%v: %s", err, got)
	}
}
