package model

import (
	"testing"

	"tapedeck/schema"
)

// A run may be in several nodes at a time, each with a call of a model and texts.
func TestNodes(t *testing.T) {
	s := newScene()
	s.Session, s.RunID = "s", "r"
	run := s.OpenRun("")
	first := s.OpenNode("n1", "think", run)
	s.frame()
	second := s.OpenNode("n2", "think", first.Run())
	first.OpenCall()
	first.Append(schema.MessageAssistant, nil, []byte("a"))
	second.Append(schema.MessageAssistant, nil, []byte("b"))
	s.frame()
	first.EndRun(schema.StatusError, []byte("boom"))
	second.Abandon()
	spans, messages := s.facts()
	a, b := spans["node:stream:0"], spans["node:stream:1"]
	if a.Parent != run.ID || a.Node != "n1" || a.Status != schema.StatusError || a.Error != "boom" || a.Ended != s.Frame.At {
		t.Errorf("the first node: %+v", a)
	}
	if b.Parent != a.ID || b.Session != "s" || b.Run != "r" || b.Status != schema.StatusUnclosed || b.Ended != 0 {
		t.Errorf("the second node: %+v", b)
	}
	if call := spans["llm:stream:1"]; call.Parent != a.ID || call.Status != schema.StatusError {
		t.Errorf("the call: %+v", call)
	}
	if len(messages) != 2 || messages[0].Span != "llm:stream:1" || messages[1].Span != b.ID || !messages[1].Complete {
		t.Errorf("messages %+v", messages)
	}
	if s.Run() != run || run.Status != schema.StatusOpen {
		t.Error("the run ended with its nodes")
	}
}

func TestToolsInNodes(t *testing.T) {
	s := newScene()
	run := s.OpenRun("")
	asks, executes := s.OpenNode("n1", "think", run), s.OpenNode("n2", "act", run)
	tool := s.BeginTool(nil, nil, &asks)
	if tool.Span.Node != "n1" || tool.Span.Parent != asks.Run().ID || s.Executing() != nil {
		t.Errorf("the call: %+v", tool.Span)
	}
	s.frame()
	s.AppendArguments(tool, []byte(`{"a": 1}`))
	s.Identify(tool, []byte("c"), []byte("bash"))
	s.Identify(tool, []byte("other"), []byte("other"))
	tool.In = &executes
	s.Start(tool)
	s.MoveTool(tool, &executes)
	if s.Executing() != tool || !tool.Running || tool.Span.Started != s.Frame.At || tool.Span.Node != "n2" {
		t.Errorf("the call once it is executed: %+v", tool.Span)
	}
	s.Leave(&asks)
	if s.Executing() != tool {
		t.Error("the end of another node ended the execution")
	}
	if s.Leave(&executes); s.Executing() != nil {
		t.Error("the end of the node did not end the execution")
	}
	s.PrintAs(tool, []byte("1"), "json")
	s.PrintAs(tool, []byte("2"), "text")
	s.ConfirmArguments(tool, []byte(`{"a":1}`), "json")
	_, messages := s.facts()
	if len(messages) != 2 || messages[0].Text != `{"a": 1}` || messages[0].Name != "bash" || !messages[0].Complete {
		t.Errorf("the same arguments replace the chunks: %+v", messages)
	}
	if m := messages[1]; m.Text != "12" || m.Media != "json" {
		t.Errorf("the output: %+v", m)
	}
	s.ConfirmArguments(tool, []byte("two"), "text")
	if _, messages = s.facts(); messages[0].Text != "two" || messages[0].Media != "text" {
		t.Errorf("other arguments: %+v", messages)
	}
}

func TestToolLimit(t *testing.T) {
	s := newScene()
	s.ToolLimit = 3
	s.InRun()
	for range 9 {
		s.BeginTool(nil, nil, &s.Conversation)
	}
	if n := len(s.OpenTools()); n != 3 {
		t.Errorf("%d calls are kept", n)
	}
}

// The parts of a run that one frame reports as a whole have no start.
func TestSeveralEventsInAFrame(t *testing.T) {
	s := newScene()
	s.Untimed = true
	s.OpenRun("")
	s.OpenCall()
	s.FirstToken()
	s.Part(".1")
	tool := s.Tool([]byte("c"), nil)
	s.Start(tool)
	if id := s.ID("tool"); id != "tool:stream:0.1" || s.ID("tool") != "tool:stream:0.1.1" {
		t.Errorf("the id in the second event is %q", id)
	}
	s.Untimed = false
	spans, _ := s.facts()
	for id, span := range spans {
		if span.Started != 0 || span.FirstToken != 0 {
			t.Errorf("%s started at %d, first token %d", id, span.Started, span.FirstToken)
		}
	}
	if len(spans) != 3 {
		t.Errorf("%d spans", len(spans))
	}
}
