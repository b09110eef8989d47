package record

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"

	"tapedeck/internal/fulltest"
)

// rollout is a file of Codex that begins with turn n. parent is the session that began it as a
// sub-agent.
func rollout(id, parent string, n, total int) string {
	source := `"cli"`
	if parent != "" {
		source = fmt.Sprintf(`{"subagent":{"thread_spawn":{"parent_thread_id":%q,"depth":1}}}`, parent)
	}
	return fmt.Sprintf(`{"timestamp":"2026-02-01T10:%02[1]d:00.000Z","type":"session_meta","payload":{"id":%[2]q,"timestamp":"2026-02-01T10:%02[1]d:00.000Z","cwd":"/w/codex","originator":"codex_cli_rs","cli_version":"0.106.0","source":%[3]s,"model_provider":"openai","git":{"branch":"main"}}}`+"\n", n, id, source) + turn(n, total)
}

// turn is a turn of Codex, after which the session has used total tokens of output.
func turn(n, total int) string {
	at := fmt.Sprintf(`{"timestamp":"2026-02-01T10:%02d:0`, n)
	return at + `0.000Z","type":"turn_context","payload":{"cwd":"/w/codex","model":"gpt-5.2"}}` + "\n" +
		at + fmt.Sprintf(`1.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Question %d"}]}}`, n) + "\n" +
		at + `2.000Z","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Answer."}]}}` + "\n" +
		at + fmt.Sprintf(`3.000Z","type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":0,"cached_input_tokens":0,"output_tokens":%d,"reasoning_output_tokens":0,"total_tokens":%d}}}}`, total, total) + "\n"
}

// Rollouts of Codex grow, are moved when they are archived, and those of sub-agents belong to
// the session of the first agent.
func TestSyncOfCodex(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	h, id, sub, subsub := newAgentHome(t), uuid.NewString(), uuid.NewString(), uuid.NewString()
	name := func(id string) string { return "rollout-2026-02-01T10-00-00-" + id + ".jsonl" }
	path := h.write(t, ".codex/sessions/2026/02/01/"+name(id), rollout(id, "", 0, 7))
	h.write(t, ".codex/sessions/2026/02/01/"+name(sub), rollout(sub, id, 1, 20))
	h.sync(t)
	h.shows(t, id, func(s *synced) bool { return s.Tokens.Output == 27 })
	h.write(t, ".codex/sessions/2026/02/01/"+name(subsub), rollout(subsub, sub, 2, 300))
	h.add(t, path, turn(3, 11))
	if said := h.sync(t); !strings.Contains(said, "recorded 2 files, 9 frames") {
		t.Errorf("sync:\n%s", said)
	}
	s := h.shows(t, id, func(s *synced) bool { return s.Tokens.Output == 331 })
	if len(s.Streams) != 3 || s.Title != "Question 0" || s.Tags["project"] != "/w/codex" || s.Tags["branch"] != "main" {
		t.Errorf("title %q, tags %v, streams %+v", s.Title, s.Tags, s.Streams)
	}
	archived := filepath.Join(h.dir, ".codex", "archived_sessions", name(id))
	rename(t, path, archived)
	if said := h.sync(t); !strings.Contains(said, "recorded 0 files") {
		t.Errorf("sync of a file that was moved:\n%s", said)
	}
	h.add(t, archived, turn(4, 12))
	h.sync(t)
	if s := h.shows(t, id, func(s *synced) bool { return s.Tokens.Output == 332 }); len(s.Streams) != 3 {
		t.Errorf("streams %+v", s.Streams)
	}
}

// Conversations of the Gemini CLI are files of lines, or one object that is written anew.
func TestSyncOfGeminiCLI(t *testing.T) {
	t.Parallel()
	h, lines, object := newAgentHome(t), uuid.NewString(), uuid.NewString()
	head := func(id string) string {
		return fmt.Sprintf(`"sessionId":%q,"projectHash":"abc","startTime":"2026-02-01T10:00:00.000Z","lastUpdated":"2026-02-01T10:00:00.000Z"`, id)
	}
	message := func(n int, typ, more string) string {
		return fmt.Sprintf(`{"id":"m%d-%s","timestamp":"2026-02-01T10:00:%02d.000Z","type":%q,"content":"Text %d"%s}`, n, object, n, typ, n, more)
	}
	tokens := func(n int) string {
		return fmt.Sprintf(`,"model":"gemini-2.5-pro","tokens":{"input":100,"output":%d,"cached":0,"thoughts":0,"tool":0,"total":%d}`, n, 100+n)
	}
	h.write(t, ".gemini/tmp/abc/.project_root", "/w/gemini\n")
	path := h.write(t, ".gemini/tmp/abc/chats/session-2026-02-01T10-00-1.jsonl",
		"{"+head(lines)+"}\n"+message(1, "user", "")+"\n"+message(2, "gemini", tokens(5))+"\n")
	write := func(messages ...string) {
		h.write(t, ".gemini/tmp/abc/chats/session-2026-02-01T10-00-2.json", "{\n  "+head(object)+",\n  \"messages\": [\n    "+strings.Join(messages, ",\n    ")+"\n  ]\n}")
	}
	write(message(11, "user", ""), message(12, "gemini", tokens(6)))
	h.sync(t)
	if s := h.shows(t, lines, func(s *synced) bool { return s.Tokens.Output == 5 }); s.Title != "Text 1" || s.Tags["project"] != "/w/gemini" {
		t.Errorf("title %q, tags %v", s.Title, s.Tags)
	}
	h.shows(t, object, func(s *synced) bool { return s.Tokens.Output == 6 && s.Tokens.Input == 100 })
	h.add(t, path, message(3, "user", "")+"\n"+message(4, "gemini", tokens(1))+"\n")
	// The last message is written again, with the call of a tool, and others follow.
	// A sub-agent's conversation is in a folder with the id of the session that began it.
	h.write(t, ".gemini/tmp/abc/chats/"+lines+"/"+uuid.NewString()+".jsonl",
		"{"+strings.ReplaceAll(head(uuid.NewString()), "10:00:00", "10:00:20")+`,"kind":"subagent"}`+"\n"+message(21, "user", "")+"\n"+message(22, "gemini", tokens(40))+"\n")
	tool := `,"toolCalls":[{"id":"t1","name":"ls","args":{},"status":"success","result":[{"functionResponse":{"id":"t1","name":"ls","response":{"output":"x"}}}]}]`
	write(message(11, "user", ""), message(12, "gemini", tool+tokens(7)), message(13, "user", ""), message(14, "gemini", tokens(1)))
	h.sync(t)
	if s := h.shows(t, lines, func(s *synced) bool { return s.Tokens.Output == 46 && s.Tokens.Input == 300 }); len(s.Streams) != 2 || s.Title != "Text 1" || s.Tags["project"] != "/w/gemini" {
		t.Errorf("with a sub-agent: title %q, tags %v, streams %+v", s.Title, s.Tags, s.Streams)
	}
	s := h.shows(t, object, func(s *synced) bool { return s.Tokens.Output == 8 && s.Tokens.Input == 200 && s.Tools.Calls == 1 })
	if len(s.Streams) != 1 || len(s.Runs) != 2 {
		t.Errorf("streams %+v, runs %+v", s.Streams, s.Runs)
	}
	if said := h.sync(t); !strings.Contains(said, "recorded 0 files") {
		t.Errorf("the last sync:\n%s", said)
	}
}
