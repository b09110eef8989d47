package report

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/internal/speedtest"
	"tapedeck/query/search"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// The tests of searches do not run in parallel: the server ends a search after 3 s.

// search prints hits with the command that plays their moment, and why an answer is partial.
func TestSearch(t *testing.T) {
	s := commandtest.Shared(t)
	said := `{"id":"c","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"the zanzibar\u001b[31m deployment failed"},"finish_reason":"stop"}]}`
	s.Must(t, "record", "--session", "searched", "--dialect", "openai-chat", "--tag", "of=search", commandtest.TextFile(t, []byte(said+"\n")))
	out, _, _ := wholeSearch(t, s, "zanzibar", "deploy*")
	if !strings.Contains(out, `the zanzibar\x1b[31m deployment failed`) || !strings.Contains(out, "tapedeck play --from +") || !strings.Contains(out, " searched\n") {
		t.Errorf("search:\n%s", out)
	}
	var found search.Answer
	answer, _, _ := wholeSearch(t, s, `"zanzibar 31m"`, "--json", "--role", "assistant", "--tag", "of=search")
	if err := json.Unmarshal([]byte(answer), &found); err != nil || len(found.Items) != 1 {
		t.Errorf("search --json: %v %+v", err, found)
	}
	// The flag that an answer with more hits names goes on behind the last.
	s.Must(t, "record", "--session", "searched-too", "--dialect", "openai-chat", "--tag", "of=search",
		commandtest.TextFile(t, []byte(strings.ReplaceAll(said, "deployment", "rollout")+"\n")))
	var two []string
	cursor := []string{}
	for range 2 {
		out, rest, _ := wholeSearch(t, s, append([]string{"zanzibar", "-n", "1"}, cursor...)...)
		two = append(two, out)
		_, flags, _ := strings.Cut(rest, "or --cursor ")
		cursor = []string{"--cursor", strings.TrimSpace(flags)}
	}
	if !strings.Contains(two[0], " searched-too\n") || !strings.Contains(two[1], " searched\n") {
		t.Errorf("search, then --cursor:\n%s", strings.Join(two, "\n"))
	}
	for _, args := range [][]string{{`"zanzibar deployment"`}, {"zanzibar", "--kind", "user"}} {
		if stdout, stderr, exit := wholeSearch(t, s, args...); exit != 0 || stdout != "" || !strings.Contains(stderr, "Nothing matches") {
			t.Errorf("%v: %d %s%s", args, exit, stdout, stderr)
		}
	}
	for _, args := range [][]string{{"search"}, {"search", `"open`}, {"search", "a", "--kind", "said"}, {"search", "a", "-n", "0"}} {
		if _, stderr, exit := s.Run(t, args...); exit != commandtest.ExitUsage {
			t.Errorf("%v: %d %s", args, exit, stderr)
		}
	}
	if _, stderr, exit := s.Run(t, "search", strings.Repeat("a", 10_240)); exit != commandtest.ExitUsage || !strings.Contains(stderr, "The search has 10240 bytes") {
		t.Errorf("a search of 10 KB: %d %.300s", exit, stderr)
	}
}

// wholeSearch searches what was recorded in the past day, in one step, which the time limit of the server does not
// end. A search that reaches the limit all the same is run again.
func wholeSearch(t *testing.T, s *commandtest.Instance, args ...string) (stdout, stderr string, exit int) {
	t.Helper()
	bounded.Until(t, "the end of the search within its time limit", func() bool {
		stdout, stderr, exit = s.Run(t, append([]string{"search", "--from", "now-24h"}, args...)...)
		return !strings.Contains(stdout, `"partial":true`) && !strings.Contains(stderr, "The search ended after")
	})
	return stdout, stderr, exit
}

// The text of a session that is being recorded is found within two seconds, while its message grows.
func TestSearchLive(t *testing.T) {
	fulltest.Long(t)
	s := commandtest.Shared(t)
	c := commandtest.DialWS(t, "ws"+strings.TrimPrefix(s.URL, "http")+"/v1/ingest/ws?session=searched-live&dialect=openai-chat")
	var slowest time.Duration
	for i, word := range []string{"quokka", "wombat", "numbat", "bilby"} {
		frame := fmt.Sprintf(`{"id":"live","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":{"content":"%s number %d "},"finish_reason":null}]}`, word, i)
		if err := c.Write(t.Context(), websocket.MessageText, []byte(frame)); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		bounded.Until(t, "a search for "+word, func() bool {
			var found search.Answer
			status, body, _ := s.Get(t, "/v1/search?q="+word)
			if status != http.StatusOK || json.Unmarshal(body, &found) != nil {
				t.Fatalf("search: %d %s", status, body)
			}
			return len(found.Items) == 1 && found.Items[0].SessionID == "searched-live"
		})
		slowest = max(slowest, time.Since(began))
	}
	speedtest.Within(t, "finding a word of a live session", slowest, 2*time.Second)
	t.Logf("slowest of four: %v", slowest)
}
