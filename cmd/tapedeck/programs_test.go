package main

import (
	"strings"
	"testing"
)

// A program or an address in the place of a file is answered with what to type.
func TestProgramAdvice(t *testing.T) {
	for name, want := range map[string]string{
		"claude":                  "tapedeck record -- claude -p PROMPT",
		"https://host/events":     "tapedeck record --sse https://host/events",
		"wss://host/socket":       "tapedeck record --ws wss://host/socket",
		"nats://host:4222":        "tapedeck record --nats nats://host:4222 --nats-subject SUBJECT",
		"ftp://host/f":            "",
		"no-such-file-or-program": "",
	} {
		if got := programAdvice([]string{name}); !strings.HasSuffix(got, want) && !strings.Contains(got, want+" ") || (got == "") != (want == "") {
			t.Errorf("record %s: %q, want %q", name, got, want)
		}
	}
}
