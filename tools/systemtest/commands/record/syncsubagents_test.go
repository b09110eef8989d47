package record

import (
	"encoding/json"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// subagent returns the lines of a sub-agent of a conversation, as its own file has them: a prompt,
// a call of Grep, its result, and an answer, in which another sub-agent may be called.
func (c *conversation) subagent(id string, more func(sub *conversation) string) string {
	sub := &conversation{session: c.session, at: c.at, extra: `"agentId":"` + id + `",`}
	text := sub.asks("look") + sub.calls("Grep", "toolu_grep_"+id) + sub.returns("toolu_grep_"+id, "")
	if more != nil {
		text += more(sub)
	}
	return strings.ReplaceAll(text+sub.says("Here."), `"isSidechain":false`, `"isSidechain":true`)
}

// called returns the result of a call that a sub-agent worked in.
func (c *conversation) called(tool, agent string) string {
	return c.returns(tool, `,"toolUseResult":{"status":"completed","agentId":"`+agent+`","totalDurationMs":1000}`)
}

// subagentPath is where newer versions keep a sub-agent's lines.
func (c *conversation) subagentPath(id string) string {
	return ".claude/projects/-w-app/" + c.session + "/subagents/agent-" + id + ".jsonl"
}

// spanNode is a span of the timeline.
type spanNode struct {
	ID       string      `json:"id"`
	Kind     string      `json:"kind"`
	Name     string      `json:"name"`
	Status   string      `json:"status"`
	CallID   *string     `json:"call_id"`
	Children []*spanNode `json:"children"`
}

// below returns the spans of a session, each as the names of those above it and its own.
func (h *agentHome) below(t *testing.T, session string) string {
	t.Helper()
	status, body, _ := h.Get(t, "/v1/sessions/"+session+"/timeline")
	var line struct {
		Spans []*spanNode `json:"spans"`
	}
	if err := json.Unmarshal(body, &line); err != nil || status != 200 {
		t.Fatalf("%d, %v: %s", status, err, body)
	}
	var b strings.Builder
	var walk func(above string, list []*spanNode)
	walk = func(above string, list []*spanNode) {
		for _, s := range list {
			name := s.Kind
			if s.Kind == "tool" {
				name = s.Name
			}
			path := above + "/" + name
			b.WriteString(path + " " + s.Status + "\n")
			walk(path, s.Children)
		}
	}
	walk("", line.Spans)
	return b.String()
}

// The files of sub-agents belong to the session of their parent, and their runs stand below the
// calls that began them, also those of sub-agents of sub-agents.
func TestSyncOfSubagents(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	h, c := newAgentHome(t), newConversation()
	h.write(t, c.path(), c.asks("Look")+c.calls("Task", "toolu_task")+c.called("toolu_task", "a1")+c.says("Seen."))
	h.write(t, c.subagentPath("a1"), c.subagent("a1", func(sub *conversation) string {
		return sub.calls("Agent", "toolu_agent") + sub.called("toolu_agent", "a2")
	}))
	h.write(t, c.subagentPath("a2"), c.subagent("a2", nil))
	h.write(t, strings.TrimSuffix(c.subagentPath("a2"), ".jsonl")+".meta.json", `{"agentType":"Explore","toolUseId":"toolu_agent","spawnDepth":2}`)
	h.sync(t)
	// Of 7 answers 2 are the main agent's, 3 those of a1, 2 those of a2.
	if s := h.counts(t, c.session, 7, 4); len(s.Streams) != 3 || s.Title != "Look" {
		t.Errorf("title %q, streams %+v", s.Title, s.Streams)
	}
	const want = `/run ok
/run/llm ok
/run/Task ok
/run/Task/run ok
/run/Task/run/node ok
/run/Task/run/node/llm ok
/run/Task/run/node/Grep ok
/run/Task/run/node/llm ok
/run/Task/run/node/Agent ok
/run/Task/run/node/Agent/run ok
/run/Task/run/node/Agent/run/node ok
/run/Task/run/node/Agent/run/node/llm ok
/run/Task/run/node/Agent/run/node/Grep ok
/run/Task/run/node/Agent/run/node/llm ok
/run/Task/run/node/llm ok
/run/llm ok
`
	if got := h.below(t, c.session); got != want {
		t.Errorf("the timeline:\n%s", got)
	}
	if said := h.sync(t); !strings.Contains(said, "recorded 0 files, 0 frames") {
		t.Errorf("the second sync:\n%s", said)
	}
	// Nothing is lost or doubled without the progress.
	if err := os.RemoveAll(h.dir + "/state/tapedeck/sync"); err != nil {
		t.Fatal(err)
	}
	h.sync(t)
	h.counts(t, c.session, 7, 4)
	if got := h.below(t, c.session); got != want {
		t.Errorf("the timeline without progress:\n%s", got)
	}
}

// With --watch a sub-agent's file is recorded while the agent works, before its call has returned.
func TestSyncWatchOfSubagents(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	h, c := newAgentHome(t), newConversation()
	path := h.write(t, c.path(), c.asks("Look")+c.calls("Task", "toolu_task"))
	cmd := h.command(t, "--watch")
	var said commandtest.LogBuffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	bounded.Until(t, "the sync to watch", func() bool { return strings.Contains(said.String(), "watching for changes") })
	whole := c.subagent("a1", nil)
	half := strings.Index(whole, "\n") + 1
	sub := h.write(t, c.subagentPath("a1"), whole[:half])
	h.add(t, sub, whole[half:])
	h.counts(t, c.session, 3, 2)
	c.at = c.at.Add(time.Minute)
	h.add(t, path, c.called("toolu_task", "a1")+c.says("Seen."))
	h.counts(t, c.session, 4, 2)
	bounded.Until(t, "the sub-agent below its call", func() bool {
		return strings.Contains(h.below(t, c.session), "\n/run/Task/run/node/Grep ok\n")
	})
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Errorf("the end: %v\n%s", err, said.String())
	}
	if said := h.sync(t); !strings.Contains(said, "recorded 0 files") {
		t.Errorf("the sync after it:\n%s", said)
	}
	h.counts(t, c.session, 4, 2)
}
