package sessionhtml

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"tapedeck/internal/fulltest"
	"tapedeck/replay/replaytest"
	"tapedeck/schema"
)

// The script has the page around a place for the recording, and ends no element of a page that has it inline.
func TestWriteScript(t *testing.T) {
	var b strings.Builder
	if err := WriteScript(&b, "1.2.3"); errors.Is(err, ErrNoPlayer) {
		fulltest.Missing(t, "the pages are not built (make ui)")
	} else if err != nil {
		t.Fatal(err)
	}
	text := b.String()
	if strings.Contains(text, "</") || !strings.Contains(text, "tapedeck 1.2.3") {
		t.Errorf("the script has an end tag (%v) or no version: %.300s", strings.Contains(text, "</"), text)
	}
	_, rest, _ := strings.Cut(text, "frame.srcdoc = ")
	head, rest, _ := strings.Cut(rest, " + text + ")
	tail, _, _ := strings.Cut(rest, "\n")
	var before, after string
	if json.Unmarshal([]byte(head), &before) != nil || json.Unmarshal([]byte(tail), &after) != nil {
		t.Fatalf("%.100s, %.100s", head, tail)
	}
	if !strings.HasSuffix(before, `<template id="recording" plain>`) || !strings.HasPrefix(after, "</template>") || !strings.Contains(before, "default-src 'none'") {
		t.Errorf("before the recording %.600s, after it %.100s", before, after)
	}
}

// The recording alone is one JSON document.
func TestWriteData(t *testing.T) {
	memory := &replaytest.Tape{}
	memory.Stream(schema.NDJSON, "").Add(0, "one\n")
	r, err := Read(t.Context(), memory, replaytest.Session)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	var back struct {
		Session struct{ ID string }
		Frames  []struct{ Raw []byte }
	}
	if err := WriteData(&b, r); err != nil || json.Unmarshal([]byte(b.String()), &back) != nil {
		t.Fatalf("%v, %s", err, b.String())
	}
	if back.Session.ID != replaytest.Session || len(back.Frames) != 1 {
		t.Errorf("%s", b.String())
	}
}
