package main

import (
	"slices"
	"strings"
	"testing"
)

func TestCustomary(t *testing.T) {
	for given, want := range map[string]string{
		"help":                  "--help",
		"help bills list":       "bills list --help",
		"--version":             "version",
		"record -- x --version": "record -- x --version",
		"search help":           "search help",
		"":                      "--help",
	} {
		if got := customary(strings.Fields(given)); !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%q: %q, want %q", given, got, want)
		}
	}
}

// An empty variable counts as not set, for every command.
func TestEmptyVariables(t *testing.T) {
	for _, name := range []string{"TAPEDECK_SERVER", "TAPEDECK_WAIT_FOR_SERVER", "TAPEDECK_ALLOW_OFFLINE", "TAPEDECK_LISTEN"} {
		t.Setenv(name, "")
	}
	for _, line := range []string{"record -", "up", "sessions"} {
		i, err := newInvocation(t.Context(), strings.Fields(line))
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		if i.cli.Server != defaultServer {
			t.Errorf("%s: server %q, want %q", line, i.cli.Server, defaultServer)
		}
	}
	t.Setenv("TAPEDECK_WAIT_FOR_SERVER", "x")
	if _, err := newInvocation(t.Context(), []string{"record", "-"}); err == nil {
		t.Error("a variable with an invalid value was not read")
	}
}
