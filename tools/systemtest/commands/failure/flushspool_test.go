package failure

import (
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/internal/local"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// throughRelay returns a URL with the address of a relay, and the address that it had.
func throughRelay(t *testing.T, server string) (own string, address string, through func(*relay) string) {
	t.Helper()
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	return server, u.Host, func(r *relay) string {
		other := *u
		other.Host = r.address()
		return other.String()
	}
}

// sendAcknowledged sends frames over a WebSocket, and waits until the server reports them as
// durable.
func sendAcknowledged(t *testing.T, c *websocket.Conn, session string, from, to int) {
	t.Helper()
	for i := from; i < to; i++ {
		if err := c.Write(t.Context(), websocket.MessageText, []byte(loadLine(session, i))); err != nil {
			t.Fatal(err)
		}
	}
	for acked := -1; acked < to-1; {
		_, text, err := c.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var m struct{ Ack *int }
		if err := json.Unmarshal(text, &m); err != nil || m.Ack == nil {
			t.Fatalf("the server says %s", text)
		}
		acked = *m.Ack
	}
}

// A server that is stopped while JetStream cannot be reached leaves what it has acknowledged in
// its spool, and says so. `tapedeck flush --spool` sends it, through a server or to NATS: nothing
// is lost and nothing is doubled.
func TestFlushSpoolOfStoppedServer(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	c := commandtest.NewCluster(t, local.Options{})
	other := c.Serve(t, "ingest,sink,api")
	natsURL, address, through := throughRelay(t, c.Servers.NATSURL())
	for name, by := range map[string][]string{"server": nil, "nats": {"--nats", natsURL}} {
		t.Run(name, func(t *testing.T) {
			wire := newRelay(t, func() string { return address }, nil)
			s := restartable(t, through(wire), c.Servers.ClickHouseDSN(), "ingest")
			dir := filepath.Join(s.now().Dir, "spool")
			session := "spooled-" + name
			conn, _, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(s.now().URL, "http")+"/v1/ingest/ws?dialect=loom&session="+session, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.CloseNow()
			sendAcknowledged(t, conn, session, 0, 100)
			checkLoad(t, other, session, 100)
			wire.sever()
			sendAcknowledged(t, conn, session, 100, 500)

			flush := append([]string{"flush", "--spool", dir}, by...)
			if _, stderr, exit := other.Run(t, flush...); exit != 0 || !strings.Contains(stderr, "is in use") {
				t.Errorf("of a server that runs: exit %d: %s", exit, stderr)
			}
			text := s.now().Log
			s.stop(t)
			if log := text.String(); !strings.Contains(log, "recorded blocks stay in the spool") || !strings.Contains(log, "dir="+dir) || !strings.Contains(log, "flush --spool") {
				t.Errorf("the log does not name what stays in %s:\n%s", dir, log)
			}
			nobody := &commandtest.Instance{URL: "http://" + wire.address(), Dir: other.Dir}
			if _, stderr, exit := nobody.Run(t, "flush", "--spool", dir); exit == 0 {
				t.Errorf("without a server: exit %d: %s", exit, stderr)
			}
			checkLoad(t, other, session, 100) // and no more

			if _, stderr, exit := other.Run(t, flush...); exit != 0 || !strings.Contains(stderr, "sent what waited in "+dir) {
				t.Fatalf("exit %d: %s", exit, stderr)
			}
			checkLoad(t, other, session, 500)
			if _, stderr, exit := other.Run(t, flush...); exit != 0 {
				t.Errorf("once more: exit %d: %s", exit, stderr)
			}
			wire.mend()
			s.begin(t)
			bounded.Until(t, "the spool to be empty", func() bool { return s.now().Metric(t, fmt.Sprintf("tapedeck_spool_blocks{dir=%q}", dir)) == 0 })
			checkLoad(t, other, session, 500)
		})
	}
}
