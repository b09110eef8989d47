package operate

import (
	"strings"
	"testing"

	"tapedeck/internal/fulltest"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// TestEraseAsks erases nothing before a person or --yes confirms it, and ends with 1 if nothing matches.
func TestEraseAsks(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	s := commandtest.Shared(t)
	for _, id := range []string{"ask-1", "ask-2", "ask-3"} {
		s.Post(t, "/v1/ingest?session="+id+"&tag=user:asked", []byte("{\"n\":1}\n{\"n\":2}\n"))
	}
	there := func(id string) bool {
		status, _, _ := s.Get(t, "/v1/sessions/"+id)
		return status == 200
	}
	for _, id := range []string{"ask-1", "ask-2", "ask-3"} {
		commandtest.UntilEnded(t, s, id)
	}

	// Scripts.
	for _, args := range [][]string{{"erase", "ask-1"}, {"erase", "--tag", "user=asked"}, {"erase", "--json", "ask-1"}} {
		stdout, stderr, exit := s.Run(t, args...)
		if exit != commandtest.ExitUsage || stdout != "" || !strings.Contains(stderr, "--yes erases without asking") || !strings.Contains(stderr, "nothing was erased") {
			t.Errorf("%q without a terminal: exit %d\n%s%s", args, exit, stdout, stderr)
		}
	}
	// Nothing matches.
	for _, args := range [][]string{
		{"erase", "--yes", "--tag", "user=nobody"}, {"erase", "--dry-run", "--tag", "user=nobody"}, {"erase", "--yes", "--json", "--tag", "user=nobody"},
		{"erase", "--yes", "no-such"}, {"erase", "--dry-run", "no-such"}, {"erase", "--yes", "ask-1", "no-such"},
	} {
		if stdout, stderr, exit := s.Run(t, args...); exit != commandtest.ExitFailed || !strings.Contains(strings.ToLower(stderr), "nothing was erased") || strings.Contains(stderr, `"unknown": true`) {
			t.Errorf("%q: exit %d\n%s%s", args, exit, stdout, stderr)
		}
	}
	if out := s.Must(t, "erase", "--dry-run", "--tag", "user=asked"); out != "ask-1\nask-2\nask-3\n" {
		t.Errorf("the dry run lists %q", out)
	}
	// A person.
	const question = "This erases 2 frames of 1 session"
	for _, no := range []string{"n\n", "\n", "yess\n", "\x04"} {
		shown, exit := commandtest.OnTerminal(t, s.Command(t, "erase", "ask-1"), "[y/N]", no)
		if exit != commandtest.ExitFailed || !strings.Contains(shown, question) || !strings.HasPrefix(shown, "ask-1\n") || !strings.Contains(shown, "nothing was erased") {
			t.Errorf("the answer %q: exit %d\n%s", no, exit, shown)
		}
	}
	for _, id := range []string{"ask-1", "ask-2", "ask-3"} {
		if !there(id) {
			t.Errorf("%s was erased", id)
		}
	}
	if shown, exit := commandtest.OnTerminal(t, s.Command(t, "erase", "ask-1"), "[y/N]", "y\n"); exit != 0 || !strings.Contains(shown, "they are hidden") {
		t.Errorf("the answer yes: exit %d\n%s", exit, shown)
	}
	s.Must(t, "erase", "--yes", "ask-2")
	if there("ask-1") || there("ask-2") || !there("ask-3") {
		t.Errorf("ask-1 %v, ask-2 %v, ask-3 %v", there("ask-1"), there("ask-2"), there("ask-3"))
	}
	if out := s.Must(t, "erase", "--yes", "--json", "ask-3"); !strings.Contains(out, `"state":"hidden"`) {
		t.Errorf("--json prints %s", out)
	}
}
