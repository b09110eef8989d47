package record

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"tapedeck/internal/bounded"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// throughNATS records messages that have secrets in subjects, which name the sessions, in reply
// subjects, in headers and in deltas that are cut, and returns what the command printed.
func throughNATS(t *testing.T, s *commandtest.Instance, secrets *secretsOf) string {
	t.Helper()
	agents, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: -1, NoSigs: true, NoLog: true})
	if err != nil {
		t.Fatal(err)
	}
	go agents.Start()
	defer agents.WaitForShutdown()
	defer agents.Shutdown()
	if !agents.ReadyForConnections(bounded.Limit) {
		t.Fatal("the NATS server of the agents did not start")
	}
	nc, err := nats.Connect(agents.ClientURL())
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	before := agents.NumSubscriptions()
	cmd := s.Command(t, "--json", "record", "--nats", agents.ClientURL(), "--nats-subject", "disk.>", "--session-token", "2", "--no-wait")
	printed := &commandtest.LogBuffer{}
	cmd.Stdout, cmd.Stderr = printed, printed
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	bounded.Until(t, "the subscription", func() bool { return agents.NumSubscriptions() > before })
	sent := 0
	publish := func(m *nats.Msg) {
		t.Helper()
		sent++
		if err := nc.PublishMsg(m); err != nil {
			t.Fatal(err)
		}
	}
	for _, text := range secrets.way("NATS subject") {
		token := strings.TrimSuffix(strings.TrimPrefix(text, "use "), " now")
		if strings.ContainsAny(token, " \t\r\n") || strings.Contains(token, "..") || strings.HasSuffix(token, ".") {
			continue // no subject
		}
		publish(&nats.Msg{Subject: "disk." + token + ".x", Reply: "answers." + token, Data: []byte(`{"a":1}`)})
	}
	plain := fmt.Sprint("nwVaLuE8", time.Now().UnixNano())
	secrets.markers.add("NATS header by name", plain)
	head := nats.Header{"authorization": {"Basic " + plain}, "Cookie": {"sid=" + plain}, "cookie": {plain}, "x-api-key": {plain}, "X-Goog-Api-Key": {plain}}
	for i, text := range secrets.way("NATS header") {
		head.Set(fmt.Sprint("X-Note-", i), header(text))
	}
	publish(&nats.Msg{Subject: "disk.headers", Header: head, Data: []byte(`{"a":2}`)})
	for line := range strings.Lines(chunks(secrets.way("NATS data"), 0.5, plainJSON)) {
		publish(&nats.Msg{Subject: "disk.data", Data: []byte(line)})
	}
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil { // what has arrived is recorded
		t.Fatal(err)
	}
	if err := bounded.Command(t, cmd); err != nil {
		t.Errorf("record: %v\n%s", err, printed)
	}
	if want := fmt.Sprintf(`"messages":%d`, sent); !strings.Contains(printed.String(), want) {
		t.Errorf("%s is not in what it printed:\n%s", want, printed)
	}
	return printed.String()
}
