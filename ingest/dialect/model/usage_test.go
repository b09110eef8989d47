package model

import (
	"testing"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// A message of a request gets the id of its run once that is known, and not the id of a later
// run.
func TestAwaitID(t *testing.T) {
	s := newScene()
	s.OpenRun("")
	first := s.UserMessage([]byte("one"))
	s.AwaitID(first)
	s.NameRun("r1")
	s.EndRun(schema.StatusOK, nil)
	s.ForgetRun()
	s.OpenRun("")
	second := s.UserMessage([]byte("two"))
	s.AwaitID(second)
	s.EndRun(schema.StatusError, nil)
	s.OpenRun("")
	s.NameRun("r3")
	if first.Run != "r1" || second.Run != "" {
		t.Errorf("the messages are of the runs %q and %q", first.Run, second.Run)
	}
}

func TestCountUpdates(t *testing.T) {
	s := newScene()
	counting := &dialect.Counting{Input: "in", Mode: schema.UsageAdd}
	run := s.OpenRun("")
	if u := s.Count(nil, counting, "m", run, []byte(`{"out":1}`)); u != nil {
		t.Errorf("counted %+v", u)
	}
	u := s.Count(nil, counting, "m", run, []byte(`{"in":1}`))
	if u.ID != "usage:m" || u.Scope != "m" || u.Tokens.Input != 1 {
		t.Errorf("%+v", u)
	}
	if again := s.Count(u, counting, "m", run, []byte(`{"in":5}`)); again != u || u.Tokens.Input != 5 {
		t.Errorf("%+v, want the same usage with 5", again)
	}
	here := s.Count(nil, counting, "", run, []byte(`{"in":2}`))
	if here.ID != here.Scope || here.ID == "usage:" {
		t.Errorf("without an id: %+v", here)
	}
}

func TestSettleSpan(t *testing.T) {
	s := newScene()
	for status, ends := range map[schema.Status]bool{
		schema.StatusOK: true, schema.StatusError: true, schema.StatusWaiting: false, schema.StatusUnclosed: false,
	} {
		span := s.OpenRun("")
		s.SettleSpan(span, status)
		if span.Status != status || (span.Ended != 0) != ends {
			t.Errorf("%s: %+v", status, span.Span)
		}
	}
}
