package record

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"

	"tapedeck/tools/systemtest/commands/commandtest"
)

// shown is what the server shows of a session.
type shown struct{ output, tools uint64 }

// The homes of agents whose dialects are mapping files: sessions have their prompts as titles, the
// projects and the tokens that the files state, and a second run records nothing.
func TestSyncOfMappedHomes(t *testing.T) {
	t.Parallel()
	h := newAgentHome(t)
	want := map[string]shown{}
	file := func(path, text, old string, output, tools uint64) (id string) {
		id = uuid.NewString()
		h.write(t, strings.ReplaceAll(path, "ID", id), strings.ReplaceAll(text, old, `"`+id+`"`))
		want[id] = shown{output, tools}
		return id
	}
	of := func(name string) string {
		return string(commandtest.CaseText(t, "mappings/testdata/"+name+"/cases/turns.txtar"))
	}
	file(".qwen/projects/-w/chats/ID.jsonl", of("qwen-code"), `"q-1"`, 40+8+3+9, 2)
	file(".copilot/session-state/ID/events.jsonl", of("copilot-cli"), `"c-1"`, 58+5+9, 2)
	h.write(t, ".kimi/kimi.json", `{"work_dirs":[{"path":"/w"}]}`)
	file(".kimi/sessions/1cce3e60ac2d51100ef178d6509a4972/ID/wire.jsonl", of("kimi-cli"), `"k-1"`, 50+8+5, 2)
	code := file(".kimi-code/sessions/wd_w_0a1b/ID/agents/main/wire.jsonl", of("kimi-code"), `"k-1"`, 50+4+8, 2)
	h.write(t, ".kimi-code/sessions/wd_w_0a1b/"+code+"/state.json", `{"workDir":"/w"}`)
	droid := file(".factory/sessions/-w/ID.jsonl", of("droid"), `"d-1"`, 77, 2)
	h.write(t, ".factory/sessions/-w/"+droid+".settings.json", `{"model":"claude-sonnet-4-5","tokenUsage":{"inputTokens":12,"outputTokens":77,"cacheReadTokens":900}}`)
	thread := "T-" + uuid.NewString()
	h.write(t, "share/amp/threads/"+thread+".json", fmt.Sprintf(`{"id":%q,"created":1767225600000,"env":{"initial":{"trees":[{"uri":"file:///w"}]}},"messages":[`+
		`{"role":"user","messageId":0,"content":[{"type":"text","text":"List the files."}],"meta":{"sentAt":1767225600000}},`+
		`{"role":"assistant","messageId":1,"content":[{"type":"text","text":"None."}],"state":{"type":"complete","stopReason":"end_turn"},`+
		`"usage":{"model":"claude-opus-4-5","inputTokens":2,"outputTokens":5,"timestamp":"2026-01-01T00:00:02Z"}}]}`, thread))
	want[thread] = shown{5, 0}
	if said := h.sync(t); !strings.Contains(said, "recorded 7 files") {
		t.Errorf("sync:\n%s", said)
	}
	for id, w := range want {
		s := h.shows(t, id, func(s *synced) bool { return s.Tokens.Output == w.output && s.Tools.Calls == w.tools })
		if s.Title != "List the files." || s.Tags["project"] != "/w" {
			t.Errorf("%s of %s: title %q, project %q", id, s.Tags["agent"], s.Title, s.Tags["project"])
		}
	}
	if said := h.sync(t); !strings.Contains(said, "recorded 0 files") {
		t.Errorf("second sync:\n%s", said)
	}
}
