package model

import (
	"fmt"
	"testing"

	"go.uber.org/goleak"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// scene is a conversation over a stream of made-up frames.
type scene struct {
	Conversation
	emitter *dialect.Emitter
	seq     uint64
}

func newScene() *scene {
	s := &scene{emitter: dialect.NewEmitter("stream")}
	s.Stream = &Stream{}
	s.frame()
	return s
}

// frame begins the next frame, a millisecond later.
func (s *scene) frame() {
	s.Begin(&dialect.Input{Frame: &schema.Frame{Seq: s.seq, At: int64(s.seq+1) * 1e6}}, s.emitter)
	s.seq++
}

// facts returns what was emitted: messages, and the latest version of each span by id.
func (s *scene) facts() (map[string]schema.Span, []schema.Message) {
	facts, _ := s.emitter.Take(0, true)
	spans := map[string]schema.Span{}
	for _, span := range facts.Spans {
		spans[span.ID] = span
	}
	return spans, facts.Messages
}

// Several facts of one kind in one frame have different ids, also across two conversations.
func TestIDs(t *testing.T) {
	s := newScene()
	got := []string{s.ID("tool"), s.ID("tool"), s.ID("run"), s.ID("tool")}
	want := []string{"tool:stream:0", "tool:stream:0.1", "run:stream:0", "tool:stream:0.2"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%q, want %q", got, want)
	}
	s.frame()
	if id := s.ID("tool"); id != "tool:stream:1" {
		t.Errorf("in the next frame %q", id)
	}
}

func TestEndOfRunSettlesWhatIsOpen(t *testing.T) {
	s := newScene()
	s.OpenRun("agent")
	s.OpenCall()
	s.Append(schema.MessageAssistant, nil, []byte("hel"))
	ran, waits := s.Tool([]byte("a"), []byte("ls")), s.Tool([]byte("b"), []byte("ask"))
	s.Start(ran)
	s.Wait(waits)
	s.frame()
	s.EndRun(schema.StatusOK, nil)
	spans, messages := s.facts()
	for id, want := range map[string]schema.Status{
		"run:stream:0": schema.StatusOK, "llm:stream:0": schema.StatusOK,
		"tool:a": schema.StatusUnclosed, "tool:b": schema.StatusWaiting,
	} {
		if got := spans[id].Status; got != want {
			t.Errorf("%s is %q, want %q", id, got, want)
		}
	}
	if len(messages) != 1 || !messages[0].Complete || messages[0].Text != "hel" {
		t.Errorf("messages %+v", messages)
	}
	if call := spans["llm:stream:0"]; call.FirstToken != 1e6 || call.Ended != 2e6 || call.Parent != "run:stream:0" {
		t.Errorf("the call is %+v", call)
	}
}

// A result whose call this stream did not see ends the call for the session. The same result
// again changes nothing. A call that uses the id again is another call.
func TestResultOfAnotherStreamsCall(t *testing.T) {
	s := newScene()
	s.ResultOf([]byte("c"), nil, []byte("done"), "text", schema.StatusOK, nil)
	spans, messages := s.facts()
	if span := spans["tool:c"]; span.Started != 0 || span.Ended != 1e6 || span.Status != schema.StatusOK || span.Parent != "" {
		t.Errorf("the call is %+v", span)
	}
	if len(messages) != 1 || messages[0].ID != "result:c" || messages[0].Span != "tool:c" {
		t.Errorf("messages %+v", messages)
	}
	s.frame()
	s.ResultOf([]byte("c"), nil, []byte("done"), "text", schema.StatusOK, nil)
	if spans, messages = s.facts(); len(spans)+len(messages) != 0 {
		t.Errorf("emitted again: %+v, %+v", spans, messages)
	}
	if again := s.Tool([]byte("c"), []byte("x")); again.Span.ID != "tool:stream:1" {
		t.Errorf("the other call's id is %q", again.Span.ID)
	}
}

func TestLocalTools(t *testing.T) {
	s := newScene()
	s.LocalTools = true
	if tool := s.Tool([]byte("item_0"), nil); tool.Span.ID != "tool:stream:0" || tool.Span.CallID != "item_0" {
		t.Errorf("the call is %+v", tool.Span)
	}
}

// A hostile stream may begin any number of things and end none.
func TestBounds(t *testing.T) {
	s := newScene()
	for i := range 10 * openTools {
		s.frame()
		id := fmt.Appendf(nil, "call-%d", i)
		s.Tool(id, nil)
		s.Append(schema.MessageAssistant, id, []byte("x"))
		s.ResultOf(fmt.Appendf(nil, "other-%d", i), nil, nil, "text", schema.StatusOK, nil)
	}
	if len(s.tools) > openTools || len(s.texts) > openTexts || s.past.Len() > pastTools {
		t.Errorf("%d tools, %d texts, %d past calls are kept", len(s.tools), len(s.texts), s.past.Len())
	}
	unclosed := 0
	spans, _ := s.facts()
	for _, span := range spans {
		if span.Status == schema.StatusUnclosed {
			unclosed++
		}
	}
	if want := 9*openTools + 1; unclosed < want-2 || unclosed > want+2 {
		t.Errorf("%d calls are unclosed, want about %d", unclosed, want)
	}
}

func TestArguments(t *testing.T) {
	s := newScene()
	tool := s.Tool([]byte("a"), nil)
	s.AppendArguments(tool, []byte(`{"x":`))
	s.frame()
	s.AppendArguments(tool, []byte(`1}`))
	s.SetArguments(tool, []byte(`{"x":1}`)) // the same once more
	s.Tool([]byte("a"), []byte("named late"))
	if got := string(tool.Arguments()); got != `{"x":1}` {
		t.Errorf("arguments %s", got)
	}
	_, messages := s.facts()
	if len(messages) != 1 || len(messages[0].ChunkAt) != 2 || !messages[0].Complete || messages[0].Name != "named late" {
		t.Errorf("messages %+v", messages)
	}
}

// Facts that other streams may refer to have ids without this stream's name.
func TestGlobalIDs(t *testing.T) {
	s := newScene()
	s.OpenRunAs("run:r", "")
	s.OpenCallAs("llm:r")
	s.BeginTextAs(schema.MessageAssistant, []byte("0"), "assistant:r.0")
	s.Append(schema.MessageAssistant, []byte("0"), []byte("x"))
	s.NameRun("r")
	tool := s.Tool([]byte("c"), nil)
	tool.ArgumentsID = "arguments:c"
	s.SetArguments(tool, []byte("{}"))
	s.SayAs(schema.MessageError, "error:r", []byte("y"))
	spans, messages := s.facts()
	if run := spans["run:r"]; run.Run != "r" || run.Status != schema.StatusOpen {
		t.Errorf("the run is %+v", run)
	}
	if call := spans["llm:r"]; call.Run != "r" || call.Parent != "run:r" {
		t.Errorf("the call is %+v", call)
	}
	var ids []string
	for _, m := range messages {
		ids = append(ids, m.ID)
	}
	if want := []string{"assistant:r.0", "arguments:c", "error:r"}; fmt.Sprint(ids) != fmt.Sprint(want) {
		t.Errorf("messages %q, want %q", ids, want)
	}
}

// A result in a request does not begin a run.
func TestResultBeginsNoRun(t *testing.T) {
	s := newScene()
	s.ResultOf([]byte("c"), nil, []byte("done"), "text", schema.StatusOK, nil)
	if spans, _ := s.facts(); len(spans) != 1 || s.Run() != nil {
		t.Errorf("spans %+v", spans)
	}
}

// The spans of a sub-agent are below its tool call, which stays open when they end.
func TestInside(t *testing.T) {
	s := newScene()
	s.OpenRun("agent")
	tool := s.Tool([]byte("a"), []byte("Task"))
	sub := Conversation{Stream: s.Stream, RunID: "r"}
	sub.Nest(tool.Span)
	sub.OpenStep("Explore")
	sub.SetModel("claude-x", "")
	sub.OpenCall()
	sub.NameRun("r")
	s.frame()
	sub.EndRun(schema.StatusOK, nil)
	sub.OpenStep("again")
	sub.Abandon()
	spans, _ := s.facts()
	if node := spans["node:stream:0"]; node.Parent != "tool:a" || node.Status != schema.StatusOK {
		t.Errorf("the sub-agent is %+v", node)
	}
	if again := spans["node:stream:1"]; again.Parent != "tool:a" || again.Status != schema.StatusUnclosed {
		t.Errorf("what was abandoned is %+v", again)
	}
	if call := spans["llm:stream:0"]; call.Parent != "node:stream:0" || call.Model != "claude-x" {
		t.Errorf("its call is %+v", call)
	}
	if got := spans["tool:a"]; got.Status != schema.StatusOpen || got.Model != "" || got.Run != "" {
		t.Errorf("the tool call was changed: %+v", got)
	}
}

// What comes after the end of a call still belongs to it.
func TestGoOn(t *testing.T) {
	s := newScene()
	call := s.OpenCall()
	s.EndCall(schema.StatusOK)
	s.frame()
	s.Resume(call)
	s.Say(schema.MessageAssistant, []byte("more"))
	s.EndCall(schema.StatusOK)
	spans, messages := s.facts()
	if got := spans["llm:stream:0"]; got.Ended != 2e6 || got.Status != schema.StatusOK {
		t.Errorf("the call is %+v", got)
	}
	if len(messages) != 1 || messages[0].Span != "llm:stream:0" {
		t.Errorf("messages %+v", messages)
	}
}
