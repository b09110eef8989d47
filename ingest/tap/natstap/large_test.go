package natstap

import (
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"

	"tapedeck/ingest"
	"tapedeck/ingest/ingesttest"
	"tapedeck/internal/bounded"
	"tapedeck/schema"
)

// A message of the server's max_payload is recorded, although it is larger than what otherwise
// waits in memory or is sent ahead: by a subscription, by position and by a consumer.
func TestLargestMessage(t *testing.T) {
	const limit = 18 << 20
	s := natsServer(t, func(o *server.Options) { o.MaxPayload, o.MaxPending = limit, 4*limit })
	nc, js := client(t, s)
	agents(t, js, jetstream.LimitsPolicy)
	recordings := map[string]*running{}
	for name, opts := range map[string]Options{
		"subject": {Subject: "agents.>", PendingBytes: 1 << 20}, "position": {Stream: "AGENTS", StateDir: t.TempDir()},
		"consumer": {Stream: "AGENTS", Consumer: "c", StateDir: t.TempDir()},
	} {
		opts.Servers = s.ClientURL()
		recordings[name] = start(t, &ingesttest.Memory{}, ingest.StreamOptions{Dialect: "generic"}, opts)
	}
	data := []byte(strings.Repeat("0123456789abcde\n", limit/16))
	if err := nc.Publish("agents.x", data); err != nil {
		t.Fatal(err)
	}
	if err := nc.Publish("agents.x", []byte("behind it")); err != nil {
		t.Fatal(err)
	}
	want := "agents.x\r\n\r\n" + string(data) + "agents.x\r\n\r\nbehind it"
	for name, r := range recordings {
		bounded.Until(t, "all of "+name, func() bool {
			ids := r.memory.Streams()
			return len(ids) == 1 && len(r.memory.Raw(ids[0], schema.Receive)) == len(want)
		})
		if string(r.memory.Raw(r.memory.Streams()[0], schema.Receive)) != want {
			t.Errorf("%s: other bytes", name)
		}
		if res, err := r.stop(); err != nil || res.Messages != 2 || res.Dropped != 0 || res.Frames != 3 {
			t.Errorf("%s: %+v, %v", name, res, err)
		}
	}
}
