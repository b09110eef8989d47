package main

import (
	"errors"
	"strings"
	"testing"
)

func TestAddresses(t *testing.T) {
	for _, good := range []string{"nats://127.0.0.1:4222", "tls://a,nats://b:1", "127.0.0.1:4222", "nats://user:secret@h", "wss://h/x"} {
		if err := checkNATS(good); err != nil {
			t.Errorf("--nats %s: %v", good, err)
		}
	}
	for _, bad := range []string{"", "nonsense", "http://h:4222", "nats://", "nats://a,", "nats://us:secret@"} {
		err := checkNATS(bad)
		if _, usage := errors.AsType[usageError](err); !usage || strings.Contains(err.Error(), "secret") {
			t.Errorf("--nats %q: %v", bad, err)
		}
	}
	for _, good := range []string{"clickhouse://127.0.0.1:9000/default", "clickhouse://u:p@h:9000,i:9000/db?secure=true"} {
		if err := checkClickHouse(good); err != nil {
			t.Errorf("--clickhouse %s: %v", good, err)
		}
	}
	for _, bad := range []string{"", "nonsense", "clickhouse://", "h:9000", "clickhouse://h:9000/db?dial_timeout=secret"} {
		err := checkClickHouse(bad)
		if _, usage := errors.AsType[usageError](err); !usage || strings.Contains(err.Error(), "secret") {
			t.Errorf("--clickhouse %q: %v", bad, err)
		}
	}
	if got := redactedNATS("nats://user:secret@h:1,nats://token@i,j:2"); got != "nats://xxxxx@h:1,nats://xxxxx@i,j:2" {
		t.Error(got)
	}
	if got := clickHouseAt("clickhouse://user:secret@h:9000/db"); got != "ClickHouse at h:9000/db" {
		t.Error(got)
	}
	for server, want := range map[string]string{"nats://h": "h:4222", "h:1": "h:1", "nats://u:p@[::1]:7": "[::1]:7", "tls://[::1]": "[::1]:4222"} {
		if got := natsHost(server); got != want {
			t.Errorf("%s: %s", server, got)
		}
	}
}
