package audit

import (
	"fmt"
	"testing"
	"time"
)

// Reading a session again and again is one visit with one entry: until five minutes pass without a
// request, and for an hour at most. Another reader, session, address or action has an entry of its own.
func TestVisits(t *testing.T) {
	began := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	entry := func(after time.Duration, change func(*Entry)) *Entry {
		e := Of("acme", Principal{Kind: "user", ID: "u1"}, TranscriptRead, "s1", Done)
		e.Remote, e.RequestID, e.At = "10.0.0.1", "first", began.Add(after)
		if change != nil {
			change(&e)
		}
		return &e
	}
	var v Visits
	if id := v.RequestID(entry(0, nil)); id != "" {
		t.Errorf("request id %q before the visit", id)
	}
	for i, step := range []struct {
		after     time.Duration
		change    func(*Entry)
		continues bool
	}{
		{0, nil, false},
		{time.Second, nil, true},
		{2 * time.Second, func(e *Entry) { e.Action = FramesRead }, false},
		{2 * time.Second, func(e *Entry) { e.Object = "s2" }, false},
		{2 * time.Second, func(e *Entry) { e.Action, e.Object = RetentionRead, "" }, false}, // the policies, and
		{2 * time.Second, func(e *Entry) { e.Action, e.Object = RetentionRead, "" }, true},  // what expires
		{2 * time.Second, func(e *Entry) { e.Principal.ID = "u2" }, false},
		{2 * time.Second, func(e *Entry) { e.Remote = "10.0.0.2" }, false},
		{2 * time.Second, func(e *Entry) { e.Tenant = "other" }, false},
		{5 * time.Minute, nil, true},
		{10 * time.Minute, nil, false}, // five minutes after the last
		{10 * time.Minute, func(e *Entry) { e.Action = TapeExport }, false},
		{11 * time.Minute, func(e *Entry) { e.Action = TapeExport }, false}, // an export is always recorded
	} {
		if got := v.Continues(entry(step.after, step.change)); got != step.continues {
			t.Errorf("step %d: continues is %t", i, got)
		}
	}
	if id := v.RequestID(entry(11*time.Minute, func(e *Entry) { e.RequestID = "other" })); id != "first" {
		t.Errorf("request id %q within the visit", id)
	}
	entries := 0
	for after := 11 * time.Minute; after <= 130*time.Minute; after += time.Minute {
		if !v.Continues(entry(after, nil)) {
			entries++
		}
	}
	if entries != 2 { // the visit that began at 10 minutes is over at 70, the next at 130
		t.Errorf("%d entries in two hours of polls, want 2", entries)
	}
}

// Without room for a further visit each request has its entry, until visits are over.
func TestVisitsMost(t *testing.T) {
	var v Visits
	at := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	read := func(session int, at time.Time) bool {
		e := Of("acme", Principal{}, FramesRead, fmt.Sprint(session), Done)
		e.At = at
		return v.Continues(&e)
	}
	for i := range visitsMost {
		read(i, at)
	}
	if !read(0, at) || read(visitsMost, at) || read(visitsMost, at) {
		t.Error("a visit beyond the most was remembered")
	}
	later := at.Add(visitPause)
	if read(visitsMost, later) || !read(visitsMost, later) || len(v.open) != 1 {
		t.Errorf("%d visits are known after the others are over", len(v.open))
	}
}
