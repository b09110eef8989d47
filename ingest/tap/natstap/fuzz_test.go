package natstap

import (
	"bytes"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"

	"tapedeck/ingest"
	"tapedeck/ingest/ingesttest"
	"tapedeck/schema"
)

// A message is in its frame with its subject and all of its payload, whatever its headers are.
func FuzzMessage(f *testing.F) {
	for _, head := range []string{"", "A: b\r\n", "A: b\r\na: c\r\nSession: s\r\n", "Authorization: Bearer x\r\n", "A:\r\n", "A: \x00\xff\r\n"} {
		f.Add("agents.a.events", "", []byte("NATS/1.0\r\n"+head+"\r\n"), []byte(`{"a":1}`))
		f.Add("agents.sk-ant-api03-"+strings.Repeat("aB3", 31)+"AA.x", "", []byte("NATS/1.0\r\n"+head+"\r\n"), []byte(`{}`))
		f.Add("agents", "_INBOX.1", []byte("NATS/1.0 503 No\r\n"+head+"\r\n"), []byte("\r\n\r\n\xff"))
	}
	rec := ingest.NewRecorder(&ingesttest.Memory{}, ingest.Settings{})
	f.Fuzz(func(t *testing.T, subject, reply string, head, data []byte) {
		if strings.ContainsAny(subject+reply, " \t\r\n") {
			return // no subject has one
		}
		h, err := nats.DecodeHeadersMsg(head)
		if err != nil {
			h = nil
		}
		tap := &tap{rec: rec, opts: Options{SessionHeader: "Session", SessionToken: 2}}
		m := &message{subject: subject, reply: reply, header: h, data: data}
		raw, flags := tap.raw(nil, m)
		cut, payload := schema.CutNATS(raw)
		if !bytes.Equal(payload, data) || !bytes.HasPrefix(cut, []byte(subject)) {
			t.Errorf("%q with %q and %q is %q: its head is %q", subject, head, data, raw, cut)
		}
		if flags.Has(schema.FlagBinary) == bytes.Equal([]byte(strings.ToValidUTF8(string(data), "")), data) {
			t.Errorf("%q is marked as binary: %v", data, flags.Has(schema.FlagBinary))
		}
		if id := tap.session(m); strings.ContainsAny(id, "\x00\r\n") || len(id) > 256 {
			t.Errorf("the session is %q", id)
		}
	})
}
