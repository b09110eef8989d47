package report

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"tapedeck/ingest"
	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/query/search"
	"tapedeck/query/session/transcript"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// spokenIn returns the words of a text: of JSON those of its names and texts.
func spokenIn(m *transcript.Message) string {
	var value any
	if m.Media != "json" || json.Unmarshal([]byte(m.Text), &value) != nil {
		return m.Text
	}
	var all []string
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(v)) {
				all = append(all, name)
				walk(v[name])
			}
		case []any:
			for _, e := range v {
				walk(e)
			}
		case string:
			all = append(all, v)
		}
	}
	walk(value)
	return strings.Join(all, "\n")
}

// Search finds in recorded cases of dialects, and captured streams if they are there, what a
// scan of the transcripts finds, word by word.
func TestSearchFindsWhatTranscriptsHave(t *testing.T) {
	fulltest.Long(t)
	s := commandtest.Shared(t)
	said := map[string]string{} // by session and message
	streams := [][]byte{commandtest.ThinkingStream("msg_scanned")}
	for _, name := range []string{
		"claudecode/testdata/cases/partial.txtar", "claudecode/testdata/cases/agents.txtar", "codex/testdata/cases/items.txtar",
		"codex/testdata/cases/errors.txtar", "openai/testdata/chat/cases/interleaved.txtar",
	} {
		streams = append(streams, commandtest.CaseText(t, name))
	}
	if fixtures := commandtest.Fixtures(t); fixtures != "" {
		for _, capture := range []string{
			"anthropic_messages/anthropic_thinking_stream.sse", "openai_chat/openai_chat_stream.sse", "claude_code/partial_messages_tool.jsonl",
			"claude_code/tool_read_v2.jsonl", "codex_exec/codex_v0142_plan.jsonl", "codex_exec/codex_v0142_failure.jsonl",
		} {
			text, err := os.ReadFile(filepath.Join(fixtures, capture))
			if err != nil {
				t.Fatal(err)
			}
			streams = append(streams, text)
		}
	}
	for i, stream := range streams {
		var sum ingest.Summary
		text := s.Must(t, "record", "--again", "--json", "--session", fmt.Sprint("scanned-", i), "--tag", "of=scan", commandtest.TextFile(t, stream))
		if err := json.Unmarshal([]byte(text), &sum); err != nil {
			t.Fatal(err)
		}
		for _, session := range sum.Sessions {
			var page struct{ Items []transcript.Message }
			_, body, _ := s.Get(t, "/v1/sessions/"+url.PathEscape(session)+"/transcript?limit=5000")
			if err := json.Unmarshal(body, &page); err != nil {
				t.Fatal(err)
			}
			for j := range page.Items {
				said[session+" "+page.Items[j].ID] = spokenIn(&page.Items[j])
			}
		}
	}
	counts := map[string]int{}
	word := regexp.MustCompile(`[\pL\pM\pN]+`)
	for _, text := range said {
		for _, w := range word.FindAllString(strings.ToLower(text), -1) {
			counts[w]++
		}
	}
	words := slices.Sorted(maps.Keys(counts))
	if len(words) < 100 {
		t.Fatalf("only %d words in %d messages", len(words), len(said))
	}
	for i := 0; i < len(words); i += len(words) / 15 {
		var want []string
		for id, text := range said {
			if slices.Contains(word.FindAllString(strings.ToLower(text), -1), words[i]) {
				want = append(want, id)
			}
		}
		var got []string
		for _, h := range searched(t, s, url.Values{"q": {words[i]}, "tag": {"of:scan"}, "limit": {"100"}}) {
			if id := h.SessionID + " " + h.ID; said[id] != "" { // else it is what a span states as its error
				got = append(got, id)
			}
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%q is found in %q, and stands in %q", words[i], got, want)
		}
	}
}

// searched returns all hits. On a machine that others use, a search may not end in its time:
// then it goes on.
func searched(t *testing.T, s *commandtest.Instance, q url.Values) (hits []search.Hit) {
	t.Helper()
	bounded.Until(t, "all is searched", func() bool {
		var found search.Answer
		status, body, _ := s.Get(t, "/v1/search?"+q.Encode())
		if err := json.Unmarshal(body, &found); err != nil || status != 200 {
			t.Fatalf("%d %v: %s", status, err, body)
		}
		hits = append(hits, found.Items...)
		if found.Next != nil {
			q.Set("cursor", *found.Next)
		}
		return !found.Partial && found.Next == nil
	})
	return hits
}

// Texts of a running session are found before their message is complete.
func TestSearchFindsRunningSessions(t *testing.T) {
	s := commandtest.Shared(t)
	c := commandtest.DialWS(t, "ws"+strings.TrimPrefix(s.URL, "http")+"/v1/ingest/ws?session=search-live&dialect=openai-chat")
	for i := range 3 {
		word := fmt.Sprintf("livewordno%d", i)
		frame := fmt.Sprintf(`{"id":"c","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":{"content":" and %s"}}]}`, word)
		if err := c.Write(t.Context(), websocket.MessageText, []byte(frame)); err != nil {
			t.Fatal(err)
		}
		bounded.Until(t, word+" is found", func() bool {
			var found search.Answer
			_, body, _ := s.Get(t, "/v1/search?q="+word)
			return json.Unmarshal(body, &found) == nil && len(found.Items) == 1 && !found.Items[0].Complete
		})
	}
	c.Close(websocket.StatusNormalClosure, "")
}
