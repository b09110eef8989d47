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
		"":                      "",
	} {
		if got := customary(strings.Fields(given)); !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%q: %q, want %q", given, got, want)
		}
	}
}
