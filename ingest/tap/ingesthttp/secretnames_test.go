package ingesthttp_test

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	njs "github.com/nats-io/nats.go/jetstream"

	"tapedeck/ingest"
	"tapedeck/ingest/redact"
)

// A secret in the name or the value of a tag is masked in what a key's log keeps, too, and a request
// with the same key may be repeated. A session that is named by a secret is refused.
func TestSecretsInNames(t *testing.T) {
	n := newNodes(t)
	s := n.start(t, ingest.Settings{Redact: redact.Default()})
	value := "ghp_" + strings.Repeat("q7Xw2Lk9Tz4V", 3)
	name := "ghp_" + strings.Repeat("b8Nc3Hs6Jd1F", 3)
	for range 2 {
		it := sending{query: "?tag=" + url.QueryEscape("token:"+value) + "&tag=" + url.QueryEscape(name+":x"), key: "k", text: "{\"a\":1}\n"}
		if status, text := s.send(t, it); status != http.StatusOK {
			t.Fatalf("%d %s", status, text)
		}
	}
	if status, text := s.send(t, sending{query: "?session=" + value, key: "other", text: "{}\n"}); status != http.StatusBadRequest || !strings.Contains(text, "secret") || strings.Contains(text, value) {
		t.Errorf("a session named by a secret: %d %s", status, text)
	}

	js, err := njs.New(n.nc)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	seen := 0
	for info := range js.ListStreams(ctx).Info() {
		stream, err := js.Stream(ctx, info.Config.Name)
		if err != nil {
			t.Fatal(err)
		}
		for seq := info.State.FirstSeq; seq <= info.State.LastSeq; seq++ {
			msg, err := stream.GetMsg(ctx, seq)
			if err != nil {
				continue // it was replaced
			}
			seen++
			for _, secret := range []string{value, name} {
				if bytes.Contains(msg.Data, []byte(secret)) {
					t.Errorf("message %d of %s has a secret: %s", seq, info.Config.Name, msg.Data)
				}
			}
		}
	}
	if seen == 0 {
		t.Error("there is no message to look at")
	}
}
