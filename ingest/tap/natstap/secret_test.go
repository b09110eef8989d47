package natstap

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tapedeck/ingest"
	"tapedeck/ingest/ingesttest"
	"tapedeck/ingest/redact"
	"tapedeck/internal/bounded"
	"tapedeck/schema"
)

// Secrets in subjects, which may name sessions, also longer than an id, reply subjects and headers of any case are in no
// block, log or file of the position; sessions that differ in a secret alone stay apart, and the
// streams of such subjects are resumed.
func TestSecretsInHeads(t *testing.T) {
	s := natsServer(t, nil)
	nc, js := client(t, s)
	agents(t, js, jetstream.LimitsPolicy)
	one := "sk-ant-api03-" + strings.Repeat("Ab3dEf7h", 11) + "Xy-AbCdEfAA"
	two := "sk-ant-api03-" + strings.Repeat("Zb9dQf2k", 11) + "Xy-AbCdEfAA"
	long := "ops_eyJ" + strings.Repeat("Qm5vR2t8", 38) // a session id has no room for all of it
	keys := []string{one, two, long}
	m, dir := &ingesttest.Memory{}, t.TempDir()
	opts := Options{Servers: s.ClientURL(), Stream: "AGENTS", StateDir: dir, SessionToken: 2, Headers: redact.NewByName(nil, nil, false)}
	logs := ""
	for round, text := range []string{"a", "b"} {
		r := start(t, m, ingest.StreamOptions{Dialect: "generic"}, opts)
		for _, key := range keys {
			message := &nats.Msg{Subject: "agents." + key + ".events", Reply: "answers." + key, Data: []byte(text), Header: nats.Header{
				"x-api-key": {"plainvalue1234"}, "cookie": {"sid=plainvalue1234"}, "authorization": {"Basic plainvalue1234"}, "X-Custom": {"key " + key},
			}}
			if err := nc.PublishMsg(message); err != nil {
				t.Fatal(err)
			}
		}
		bounded.Until(t, "all messages", func() bool { return frameCount(m) == len(keys)*(round+1) })
		bounded.Until(t, "the position", func() bool { return loaded(t, dir).Last == uint64(len(keys)*(round+1)) })
		res, err := r.stop()
		if err != nil || res.Messages != uint64(len(keys)) || len(res.Sessions) != len(keys) {
			t.Errorf("%+v, %v", res, err)
		}
		logs += r.log.String() + strings.Join(res.Sessions, " ")
	}
	secrets := []string{one[20:40], two[20:40], long[20:40], "plainvalue1234"}
	for _, secret := range secrets {
		if strings.Contains(logs, secret) {
			t.Errorf("%s is in the log:\n%s", secret, logs)
		}
		for _, b := range m.Blocks() {
			for _, f := range b.Frames {
				if bytes.Contains(f.Raw, []byte(secret)) {
					t.Errorf("%s is in a frame: %q", secret, f.Raw)
				}
			}
			if strings.Contains(b.Session+b.State.Source, secret) {
				t.Errorf("%s is in session %q or source %q", secret, b.Session, b.State.Source)
			}
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) < 2 {
		t.Fatalf("files of the position: %v, %v", files, err)
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range secrets {
			if bytes.Contains(text, []byte(secret)) {
				t.Errorf("%s is in %s", secret, text)
			}
		}
	}
}

// frameCount counts the frames of all streams.
func frameCount(m *ingesttest.Memory) (n int) {
	for _, id := range m.Streams() {
		n += len(m.Frames(id))
	}
	return n
}

// A secret that the deltas of two messages, or the pieces of a message beyond the frame limit,
// hold in part is masked in both.
func TestSecretsAcrossMessages(t *testing.T) {
	s := natsServer(t, nil)
	nc, _ := client(t, s)
	key := "sk-ant-api03-" + strings.Repeat("Ab3dEf7h", 11) + "Xy-AbCdEfAA"
	r := start(t, &ingesttest.Memory{}, ingest.StreamOptions{}, Options{Servers: s.ClientURL(), Subject: "agents.*", FrameLimit: 4096})
	delta := func(text string) string { return `{"choices":[{"index":0,"delta":{"content":"` + text + `"}}]}` }
	for _, m := range []nats.Msg{
		{Subject: "agents.split", Data: []byte(delta("the key is " + key[:40]))}, {Subject: "agents.split", Data: []byte(delta(key[40:] + " and more"))},
		{Subject: "agents.pieces", Data: []byte(strings.Repeat("x ", 2010) + key + strings.Repeat(" y", 2100))},
	} {
		if err := nc.PublishMsg(&m); err != nil {
			t.Fatal(err)
		}
	}
	bounded.Until(t, "all to be recorded", func() bool { return frameCount(r.memory) == 5 })
	for _, id := range r.memory.Streams() {
		raw := string(r.memory.Raw(id, schema.Receive))
		for at := 14; at+12 <= len(key); at += 6 {
			if strings.Contains(raw, key[at:at+12]) {
				t.Errorf("a part of the secret, %s, is in %q", key[at:at+12], raw)
				break
			}
		}
	}
}
