package spans

import (
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"tapedeck/internal/bounded"
	"tapedeck/internal/local/engine"
	"tapedeck/internal/syncbuffer"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// away ends and starts the receiver while sessions are forwarded to it: none is lost, and none comes twice.
func away(t *testing.T, s *commandtest.Instance, receive, version string) {
	port, err := engine.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	address := fmt.Sprintf("127.0.0.1:%d", port)
	said := &syncbuffer.Output{}
	cmd := s.Command(t, "forward", "http://"+address, "--every", "1s", "--from", "2026-01-01", "--state", filepath.Join(t.TempDir(), "position"))
	cmd.Stdout, cmd.Stderr = said, said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if cmd.ProcessState == nil {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	})
	waits := func(times int) {
		t.Helper()
		bounded.Until(t, fmt.Sprintf("forward waits %d times", times), func() bool {
			return strings.Count(said.String(), "the endpoint took nothing, trying again") >= times
		})
	}
	waits(1)
	first := start(t, receive, address)
	bounded.Until(t, "the spans of two sessions", func() bool { return first.count() >= 13 })
	compare(t, first.end(t), false, version)

	commandtest.Post(t, s, "third", "application/x-ndjson", []byte(commandtest.LoomRun))
	commandtest.UntilEnded(t, s, "third")
	waits(2)
	second := start(t, receive, address)
	bounded.Until(t, "the spans of the third session", func() bool { return second.count() >= 4 })
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := bounded.Command(t, cmd); err != nil {
		t.Errorf("forward: %v\n%s", err, said)
	}
	came := map[string]int{}
	for _, span := range second.end(t) {
		conversation, _ := span.Attributes().Get("gen_ai.conversation.id")
		came[conversation.Str()]++
		came[span.SpanID().String()]++
	}
	if len(came) != 5 || came["third"] != 4 {
		t.Errorf("of the third session came %v\n%s", came, said)
	}
}
