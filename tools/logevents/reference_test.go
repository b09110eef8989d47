package logevents

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var update = flag.Bool("write-reference", false, "write docs/reference/logs.md anew")

const page = "../../docs/reference/logs.md"

// read returns the events of the repository. Code that logs in another way than by the rules fails the test.
func read(t *testing.T) []Event {
	t.Helper()
	events, err := Read("../..")
	if err != nil {
		t.Fatal(err)
	}
	return events
}

// docs/reference/logs.md has every event of the program.
func TestReference(t *testing.T) {
	want := Page(read(t))
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is stale: run make reference", page)
	}
}

var (
	messageForm = regexp.MustCompile(`^[A-Za-z]+( [a-z]+)?: \S.*[^.\s]$`)
	keyForm     = regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`)
)

// Each event and each attribute is declared, and each declaration is of one that is logged.
func TestDeclared(t *testing.T) {
	events := read(t)
	if len(events) < 150 {
		t.Errorf("%d events were found, want 150 at least", len(events))
	}
	open, keys := maps.Clone(meanings), maps.Clone(attributes)
	for _, e := range events {
		switch meaning, is := meanings[e.Message]; {
		case !messageForm.MatchString(e.Message):
			t.Errorf("%q (%s): a message has the form \"component: what happened\"", e.Message, e.Folders)
		case !is:
			t.Errorf("%q (%s) has no meaning in meanings.go", e.Message, e.Folders)
		case !strings.HasSuffix(meaning, "."):
			t.Errorf("%q: the meaning %q is no sentence", e.Message, meaning)
		}
		delete(open, e.Message)
		for _, key := range e.Attributes {
			if attributes[key] == "" || !keyForm.MatchString(key) {
				t.Errorf("%q has the attribute %s, which attributes.go does not describe", e.Message, key)
			}
			delete(keys, key)
		}
	}
	for _, message := range slices.Sorted(maps.Keys(open)) {
		t.Errorf("meanings.go has %q, which nothing logs", message)
	}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		t.Errorf("attributes.go has %s, which no event has", key)
	}
}

var inCode = regexp.MustCompile("`([A-Za-z ]+): ([^`]+)`")

// An event that a page for operators names in code is one that is logged.
func TestPages(t *testing.T) {
	pages, err := filepath.Glob("../../docs/operate/*.md")
	if err != nil {
		t.Fatal(err)
	}
	known, components := map[string]bool{}, map[string]bool{}
	for _, e := range read(t) {
		known[e.Message], components[e.Component()] = true, true
	}
	named := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range inCode.FindAllStringSubmatch(string(text), -1) {
			event := m[1] + ": " + m[2]
			if !components[m[1]] {
				continue
			}
			named++
			if !known[event] {
				t.Errorf("%s names the event %q, which nothing logs", page, event)
			}
		}
	}
	if named < 10 {
		t.Errorf("the pages name %d events, want 10 at least", named)
	}
}
