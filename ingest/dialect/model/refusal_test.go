package model

import (
	"testing"

	"tapedeck/schema"
)

func TestRefusal(t *testing.T) {
	s := newScene()
	var r Refusal
	if r.Refused() || r.Answer(200) {
		t.Error("an answer without an error is a refusal")
	}
	run := s.OpenRun("")
	s.frame()
	if !r.Answer(503) || string(r.Text()) != "HTTP 503" {
		t.Errorf("%q", r.Text())
	}
	s.EndRun(schema.StatusError, r.Text())
	s.frame()
	r.Body(&s.Conversation, run, []byte("try "))
	s.frame()
	r.Body(&s.Conversation, run, []byte("later"))
	spans, messages := s.facts()
	if got := spans[run.ID]; got.Error != "try later" || got.Status != schema.StatusError || got.Ended != s.Frame.At {
		t.Errorf("the run is %s with the error %q, ended %d", got.Status, got.Error, got.Ended)
	}
	if len(messages) != 1 || messages[0].Text != "try later" || messages[0].Kind != schema.MessageError || messages[0].Span != run.ID {
		t.Errorf("messages %v", messages)
	}
	if r.Answer(0) {
		t.Error("the next exchange is refused")
	}
}
