package jetstream

import (
	"strings"
	"testing"
)

func TestServers(t *testing.T) {
	for _, good := range []string{"nats://127.0.0.1:4222", "tls://a,nats://b:1", "127.0.0.1:4222", "nats://user:secret@h", "wss://h/x"} {
		if err := CheckServers(good); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for _, bad := range []string{"", "nonsense", "http://h:4222", "nats://", "nats://a,", "nats://us:secret@", "nats://us:secret@h:99999", "nats://a,h:42222x"} {
		if err := CheckServers(bad); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if got := RedactServers("nats://user:secret@h:1,nats://token@i,j:2"); got != "nats://xxxxx@h:1,nats://xxxxx@i,j:2" {
		t.Error(got)
	}
	for servers, want := range map[string]bool{"nats://a,nats://user:secret@h:1": true, "nats://token@i": true, "nats://a,b:1": false} {
		if got := HasUser(servers); got != want {
			t.Errorf("%s: %v", servers, got)
		}
	}
	for server, want := range map[string]string{"nats://h": "h:4222", "h:1": "h:1", "nats://u:p@[::1]:7": "[::1]:7", "tls://[::1]": "[::1]:4222"} {
		if got := ServerHost(server); got != want {
			t.Errorf("%s: %s", server, got)
		}
	}
}
