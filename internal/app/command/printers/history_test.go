package printers

import (
	"strings"
	"testing"

	"tapedeck/ingest/tap/agenthistory"
)

// A path is written on one line, without what a terminal would act upon.
func TestProblemsAreLines(t *testing.T) {
	var b strings.Builder
	printProblems(&b, []agenthistory.Problem{{Path: "/home/a\nskipped  b\x1b[2J", Reason: "it is empty"}})
	if text := b.String(); strings.Count(text, "\n") != 1 || strings.ContainsRune(text, '\x1b') {
		t.Errorf("printed %q", text)
	}
}
