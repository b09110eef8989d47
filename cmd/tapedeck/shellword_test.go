package main

import (
	"slices"
	"strings"
	"testing"

	"tapedeck/internal/console"
)

// A session's id and a file's name that begin like a flag are arguments in hints.
func TestHintsOfNamesLikeFlags(t *testing.T) {
	for got, want := range map[string]string{
		console.SessionWord("a b"): "'a b'", console.SessionWord("-rf"): "-- -rf", console.SessionWord("-5"): "-- -5", console.SessionWord("--x y"): "-- '--x y'",
		console.FileWord("-rf.tape"): "./-rf.tape", console.FileWord("a.tape"): "a.tape",
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	for _, id := range []string{"-rf", "-5", "--json"} {
		var c cli
		args := append([]string{"show"}, strings.Fields(console.SessionWord(id))...)
		if _, err := parse(hintParser(t, &c), &c, args); err != nil || c.Show.Session != id {
			t.Errorf("tapedeck %s: session %q, %v", strings.Join(args, " "), c.Show.Session, err)
		}
	}
}

// A field to sort by downwards is the value of --sort with and without a =.
func TestSortDownwards(t *testing.T) {
	for _, args := range [][]string{{"--sort", "-duration"}, {"--sort=-duration"}} {
		var c cli
		if _, err := parse(hintParser(t, &c), &c, slices.Concat([]string{"sessions"}, args)); err != nil || c.Sessions.Sort != "-duration" {
			t.Errorf("%q: %q, %v", args, c.Sessions.Sort, err)
		}
	}
}
