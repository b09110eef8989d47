package natstap

import (
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tapedeck/ingest"
	"tapedeck/ingest/ingesttest"
	"tapedeck/internal/bounded"
)

// withUser has the server accept one user, who may not subscribe to some subject.
func withUser(password, denied string) func(*server.Options) {
	return func(o *server.Options) {
		p := &server.Permissions{Subscribe: &server.SubjectPermission{}}
		if denied != "" {
			p.Subscribe.Deny = []string{denied}
		}
		o.Users = []*server.User{{Username: "u", Password: password, Permissions: p}}
	}
}

// A server that refuses the user for a while is tried again until it accepts it.
func TestRefusedForAWhile(t *testing.T) {
	var opts server.Options
	s := natsServer(t, func(o *server.Options) { o.Port = freePort(t); withUser("p", "")(o); opts = *o })
	url := strings.Replace(s.ClientURL(), "nats://", "nats://u:p@", 1)
	fill := func(from, to int) {
		t.Helper()
		nc, err := nats.Connect(url)
		if err != nil {
			t.Fatal(err)
		}
		defer nc.Close()
		js, err := jetstream.New(nc)
		if err != nil {
			t.Fatal(err)
		}
		if from == 0 {
			agents(t, js, jetstream.LimitsPolicy)
		}
		publish(t, js, from, to, 2)
	}
	fill(0, 10)
	byPosition, core := &ingesttest.Memory{}, &ingesttest.Memory{}
	so := ingest.StreamOptions{Dialect: "generic"}
	r := start(t, byPosition, so, Options{Servers: url, Stream: "AGENTS", StateDir: t.TempDir()})
	subscribed := start(t, core, so, Options{Servers: url, Subject: "agents.>"})
	bounded.Until(t, "the first", func() bool { return check(t, byPosition.Blocks(), 20, false) == 10 })
	s.Shutdown()
	s.WaitForShutdown()
	other := opts
	s = natsServer(t, func(o *server.Options) { *o = other; withUser("another", "")(o) })
	refused := func(l *lines) bool { return l.count("uthorization") >= 4 } // two in a row end a connection by default
	bounded.Until(t, "the server to refuse", func() bool { return refused(r.log) && refused(subscribed.log) })
	s.Shutdown()
	s.WaitForShutdown()
	natsServer(t, func(o *server.Options) { *o = opts })
	bounded.Until(t, "the subscription", func() bool { return subscribed.log.has("nats tap: reconnected") })
	fill(10, 20)
	bounded.Until(t, "the rest", func() bool {
		return check(t, byPosition.Blocks(), 20, false) == 20 && check(t, core.Blocks(), 20, false) >= 10
	})
	for _, one := range []*running{r, subscribed} {
		if res, err := one.stop(); err != nil || res.Lost == 0 {
			t.Errorf("%+v, %v\n%s", res, err, one.log.String())
		}
	}
}

// A subscription whose permission is taken away ends with an error that says so.
func TestPermissionTakenAway(t *testing.T) {
	var opts server.Options
	s := natsServer(t, func(o *server.Options) { o.Port = freePort(t); withUser("p", "")(o); opts = *o })
	url := strings.Replace(s.ClientURL(), "nats://", "nats://u:p@", 1)
	ended := start(t, &ingesttest.Memory{}, ingest.StreamOptions{}, Options{Servers: url, Subject: "agents.>"})
	next := opts
	withUser("p", "agents.>")(&next)
	if err := s.ReloadOptions(&next); err != nil {
		t.Fatal(err)
	}
	if _, err := ended.wait(); err == nil || !strings.Contains(err.Error(), "the NATS user may not") {
		t.Errorf("it ended with %v\n%s", err, ended.log.String())
	}
}
