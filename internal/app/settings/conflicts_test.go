package settings

import (
	"strings"
	"testing"
)

// What the start would refuse, or take in another sense than it was meant, is refused when the settings are checked.
func TestConflicts(t *testing.T) {
	secret := write(t, "user:geheim\n", 0o600)
	for _, c := range []struct {
		args, want string // want is "" for no error
	}{
		{"serve --otlp-endpoint collector:4318", "--otlp-endpoint: it must be the URL of a collector"},
		{"serve --otlp-endpoint http://collector:4318", ""},
		{"serve --clickhouse clickhouse://u:geheim@h:9000/d --clickhouse-password-file " + secret, "--clickhouse has a password, and so has the file of --clickhouse-password-file: remove one"},
		{"serve --clickhouse clickhouse://u@h:9000/d --clickhouse-password-file " + secret, ""},
		{"serve --clickhouse clickhouse://h:99999/d", "--clickhouse: the port 99999 is not a number from 0 to 65535"},
		{"serve --clickhouse-storage-policy tiers", "--clickhouse-storage-policy moves recordings from an age on: set --clickhouse-cold-after to it"},
		{"serve --clickhouse-storage-policy tiers --clickhouse-cold-after 90d", ""},
		{"serve --nats nats://u:geheim@h --nats-credentials " + secret, "--nats has a user or a token, and so has the file of --nats-credentials: remove one"},
		{"serve --nats nats://h --nats-credentials " + secret, ""},
		{"serve --nats nats://h:99999", "--nats: the port 99999 is not a number from 0 to 65535"},
		{"serve --tokens --allow-host https://tapedeck.example.com", "it must be a host name without scheme and port, like tapedeck.example.com"},
		{"serve --tokens --allow-host tapedeck.example.com:4600", "it must be a host name without scheme and port"},
		{"serve --tokens --allow-host tapedeck.example.com --allow-host ::1", ""},
		{"up --listen 127.0.0.1:4600 --nats-listen 127.0.0.1:4600", "--listen and --nats-listen have the same port, 4600: choose another for one of them"},
		{"up --listen 127.0.0.1:0 --nats-listen 127.0.0.1:0", ""},
		{"up --listen localhost:http-x", "the port must be a number"},
	} {
		r, s, k, err := read(t, nil, strings.Fields(c.args)...)
		if err != nil {
			t.Fatal(err)
		}
		wrong := r.Serve.Conflicts
		if strings.HasPrefix(c.args, "up") {
			wrong = r.Up.Conflicts
		}
		err = s.Check(k, wrong())
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.args, err, c.want)
		}
		if err != nil && strings.Contains(err.Error(), "geheim") {
			t.Errorf("%s: the error has the secret: %v", c.args, err)
		}
	}
}
