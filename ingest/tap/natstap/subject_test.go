package natstap

import (
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"tapedeck/ingest"
	"tapedeck/ingest/ingesttest"
	"tapedeck/internal/bounded"
	"tapedeck/schema"
)

// Subjects that a client library refuses and a server takes, with control characters, bytes that
// are no text, or of the length of a whole line of the protocol, are recorded as they are, and
// their streams are resumed.
func TestOddSubjects(t *testing.T) {
	s := natsServer(t, nil)
	_, js := client(t, s)
	agents(t, js, jetstream.LimitsPolicy)
	subjects := []string{"agents.\x01\x1b[31m\x7f", "agents.\xff\xfe", "agents." + strings.Repeat("x.", 1900) + "y", "agents.ü\u202e\u0000"}
	m, opts := &ingesttest.Memory{}, Options{Servers: s.ClientURL(), Stream: "AGENTS", StateDir: t.TempDir(), SessionToken: 2}
	want := map[string]int{}
	for round := range 3 {
		r := start(t, m, ingest.StreamOptions{Dialect: "generic"}, opts)
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.ClientURL(), "nats://"))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(conn, "CONNECT {\"verbose\":false}\r\n")
		for _, subject := range subjects {
			data := fmt.Sprint("message ", round)
			fmt.Fprintf(conn, "PUB %s %d\r\n%s\r\n", subject, len(data), data)
			want[subject+"\r\n\r\n"+data]++
		}
		bounded.Until(t, "all to be recorded", func() bool { return frameCount(m) == len(want) })
		conn.Close()
		if res, err := r.stop(); err != nil || res.Messages != uint64(len(subjects)) {
			t.Errorf("round %d: %+v, %v", round, res, err)
		}
	}
	for _, id := range m.Streams() {
		for _, f := range m.Frames(id) {
			want[string(f.Raw)]--
			if f.Flags.Has(schema.FlagNote) {
				t.Errorf("a note: %q", f.Raw)
			}
		}
	}
	for raw, n := range want {
		if n != 0 {
			t.Errorf("%d of %q are missing", n, raw)
		}
	}
	for _, b := range m.Blocks() {
		if err := ingest.CheckSession(b.Session); err != nil {
			t.Error(err)
		}
	}
}
