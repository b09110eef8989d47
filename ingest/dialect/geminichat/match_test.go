package geminichat

import (
	"testing"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/dialecttest"
)

func TestMatch(t *testing.T) {
	const at = `"2026-04-29T21:39:22.319Z"`
	tests := []struct {
		want dialect.Confidence
		line string
	}{
		{dialect.Certain, `{"sessionId":"s","projectHash":"p","startTime":` + at + `,"lastUpdated":` + at + `,"kind":"main"}`},
		{dialect.Certain, `{"sessionId":"s","projectHash":"p","messages":[]}`},
		{dialect.Certain, `{"id":"m1","timestamp":` + at + `,"type":"gemini","content":"Hi."}`},
		{dialect.Likely, `{"$set":{"lastUpdated":` + at + `}}`},
		{dialect.No, `{"sessionId":"s","projectHash":"p"}`},
		{dialect.No, `{"sessionId":"s","startTime":` + at + `,"messages":[]}`},
		{dialect.No, `{"id":"m1","type":"gemini","content":"Hi."}`},
		{dialect.No, `{"id":"m1","timestamp":` + at + `,"type":"user","content":"Hi."}`},
		{dialect.No, `{"$set":{"name":"x"}}`},
		{dialect.No, `{"$rewindTo":"m1"}`},
		{dialect.No, `[1]`},
		{dialect.No, `text`},
	}
	for _, test := range tests {
		got, why := match(dialecttest.Line(test.line))
		if got != test.want || (why == "") != (got == dialect.No) {
			t.Errorf("%s: %d (%q), want %d", test.line, got, why, test.want)
		}
	}
}

func TestIdle(t *testing.T) {
	for _, name := range []string{"lines", "whole"} {
		dialecttest.Idle(t, Dialect, dialecttest.Case(t, "testdata/cases/"+name+".txtar"), 50)
	}
}
