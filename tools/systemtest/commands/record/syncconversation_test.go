package record

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"tapedeck/internal/bounded"
)

// conversation writes lines as Claude Code keeps them. Every answer counts 100 tokens of input
// and 10 of output.
type conversation struct {
	session string
	at      time.Time
	last    string // uuid of the line before
	extra   string // further members of each line
}

func newConversation() *conversation {
	return &conversation{session: uuid.NewString(), at: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)}
}

// path is where Claude Code keeps the session.
func (c *conversation) path() string { return ".claude/projects/-w-app/" + c.session + ".jsonl" }

func (c *conversation) line(rest string) string {
	id, parent := uuid.NewString(), "null"
	if c.last != "" {
		parent = `"` + c.last + `"`
	}
	c.last, c.at = id, c.at.Add(time.Second)
	return fmt.Sprintf(`{"parentUuid":%s,"isSidechain":false,"userType":"external","cwd":"/w/app","sessionId":"%s","version":"2.1.0","gitBranch":"fix/sync",%s%s,"uuid":"%s","timestamp":"%s"}`+"\n",
		parent, c.session, c.extra, rest, id, c.at.Format("2006-01-02T15:04:05.000Z"))
}

func (c *conversation) asks(text string) string {
	return c.line(fmt.Sprintf(`"type":"user","message":{"role":"user","content":%q}`, text))
}

func (c *conversation) answer(content, stop string) string {
	return c.line(fmt.Sprintf(`"type":"assistant","requestId":"req_%[1]s","message":{"id":"msg_%[1]s","type":"message","role":"assistant","model":"claude-opus-4-1-20250805","content":[%s],"stop_reason":%q,"usage":{"input_tokens":100,"output_tokens":10}}`,
		uuid.NewString()[:8], content, stop))
}

func (c *conversation) says(text string) string {
	return c.answer(fmt.Sprintf(`{"type":"text","text":%q}`, text), "end_turn")
}

// calls is an answer that calls a tool, and returns is its result.
func (c *conversation) calls(tool, id string) string {
	return c.answer(fmt.Sprintf(`{"type":"tool_use","id":%q,"name":%q,"input":{"prompt":"look"}}`, id, tool), "tool_use")
}

func (c *conversation) returns(id, more string) string {
	return c.line(fmt.Sprintf(`"type":"user"%s,"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":%q,"content":"done"}]}`, more, id))
}

// resumed returns lines as another session has them that goes on from this one.
func (c *conversation) resumed(lines string) (*conversation, string) {
	next := *c
	next.session = uuid.NewString()
	return &next, strings.ReplaceAll(lines, `"sessionId":"`+c.session, `"sessionId":"`+next.session)
}

// synced is what the server shows of a session.
type synced struct {
	Title  string `json:"title"`
	Status string `json:"status"`
	Tokens struct {
		Input  uint64 `json:"input"`
		Output uint64 `json:"output"`
		Total  uint64 `json:"total"`
	} `json:"tokens"`
	Tools struct {
		Calls uint64 `json:"calls"`
	} `json:"tools"`
	Tags    map[string]string `json:"tags"`
	Started time.Time         `json:"started"`
	Runs    []struct {
		Status  string  `json:"status"`
		Message *string `json:"message"`
	} `json:"runs"`
	Streams []struct {
		ID     string `json:"stream_id"`
		Source string `json:"source"`
		Frames int    `json:"frames"`
	} `json:"streams"`
}

// shows returns what the server shows of a session once ok holds and the answer no longer changes.
// One answer is read by several statements: while blocks are being stored, it can have the tokens of
// a block without its frames.
func (h *agentHome) shows(t *testing.T, session string, ok func(*synced) bool) *synced {
	t.Helper()
	var s, before *synced
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("session %s shows %+v", session, s)
		}
	})
	since := time.Now() // of the first of the equal answers
	bounded.Until(t, "session "+session+" shows what it is to show", func() bool {
		status, body, _ := h.Get(t, "/v1/sessions/"+session)
		if status != 200 {
			return false
		}
		before, s = s, &synced{}
		if err := json.Unmarshal(body, s); err != nil {
			t.Fatalf("%v: %s", err, body)
		}
		if !ok(s) || !reflect.DeepEqual(s, before) {
			since = time.Now()
			return false
		}
		return time.Since(since) >= 100*time.Millisecond
	})
	return s
}

// counts waits until a session shows so many answers of a conversation, and calls of tools.
func (h *agentHome) counts(t *testing.T, session string, answers, tools uint64) *synced {
	t.Helper()
	return h.shows(t, session, func(s *synced) bool {
		return s.Tokens.Input == 100*answers && s.Tokens.Output == 10*answers && s.Tools.Calls == tools
	})
}

// used returns the tokens of all sessions with a tag.
func (h *agentHome) used(t *testing.T, tag string) (total uint64) {
	t.Helper()
	var report struct {
		Totals struct {
			Tokens struct {
				Total uint64 `json:"total"`
			} `json:"tokens"`
		} `json:"totals"`
	}
	status, body, _ := h.Get(t, "/v1/usage?tag="+tag)
	if err := json.Unmarshal(body, &report); err != nil || status != 200 {
		t.Fatalf("%d, %v: %s", status, err, body)
	}
	return report.Totals.Tokens.Total
}
