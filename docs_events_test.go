package tapedeck

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	// logCall matches a call of a logger with a constant message.
	logCall = regexp.MustCompile(`\.(Debug|Info|Warn|Error)(?:Context)?\(\s*(?:\w+,\s*)?"([^"]+)"`)
	// concatenated matches where a long constant continues on the next line.
	concatenated = regexp.MustCompile(`"\s*\+\s*\n\s*"`)
	// eventForm is the form of messages: component: what happened.
	eventForm   = regexp.MustCompile(`^[A-Za-z]+( [a-z]+)?: \S.*[^.\s]$`)
	eventInCode = regexp.MustCompile("`([A-Za-z]+(?: [a-z]+)?): ([^`]+)`")
)

// loggedEvents returns the messages that the code logs, with their levels.
func loggedEvents(t *testing.T) map[string]string {
	t.Helper()
	levels := map[string]string{}
	for _, root := range []string{"cmd", "ingest", "query", "replay", "schema", "internal"} {
		err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && strings.HasSuffix(d.Name(), "test"): // support of tests
				return fs.SkipDir
			case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
				return nil
			}
			code, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			for _, m := range logCall.FindAllStringSubmatch(concatenated.ReplaceAllString(string(code), ""), -1) {
				level, message := m[1], m[2]
				if !eventForm.MatchString(message) {
					t.Errorf("%s logs %q: a message has the form \"component: what happened\"", name, message)
				}
				if before, known := levels[message]; known && before != level {
					t.Errorf("%s logs %q with the level %s, other code with %s", name, message, level, before)
				}
				levels[message] = level
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return levels
}

// Messages of the log have one form and one level, and the pages for operators name messages that exist.
func TestEvents(t *testing.T) {
	events := loggedEvents(t)
	if len(events) < 150 {
		t.Errorf("%d events were found, want 150 at least", len(events))
	}
	components := map[string]bool{}
	for event := range events {
		component, _, _ := strings.Cut(event, ": ")
		components[component] = true
	}
	pages, err := filepath.Glob("docs/operate/*.md")
	if err != nil {
		t.Fatal(err)
	}
	named := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range eventInCode.FindAllStringSubmatch(string(text), -1) {
			event := m[1] + ": " + m[2]
			if !components[m[1]] {
				continue
			}
			named++
			if events[event] == "" {
				t.Errorf("%s names the event %q, which nothing logs", page, event)
			}
		}
	}
	if named < 10 {
		t.Errorf("the pages name %d events, want 10 at least", named)
	}
}
