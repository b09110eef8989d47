package redact

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the table of rules anew")

const referencePage = "../../docs/reference/secrets.md"

// The reference lists all rules, with what their secrets begin with and where the format is
// published.
func TestReference(t *testing.T) {
	page, err := os.ReadFile(referencePage)
	if err != nil {
		t.Fatal(err)
	}
	begin, end := []byte("<!-- rules -->\n"), []byte("<!-- end of rules -->\n")
	before, rest, ok := bytes.Cut(page, begin)
	listed, after, ended := bytes.Cut(rest, end)
	if !ok || !ended {
		t.Fatal("the page has no marks around the table")
	}
	table := []byte("\n| rule | what it begins with, or stands behind | published |\n|---|---|---|\n")
	rules := Rules()
	slices.SortFunc(rules, func(a, b Rule) int { return strings.Compare(a.ID, b.ID) })
	for _, r := range rules {
		keys := r.Keywords
		more := ""
		if len(keys) > 12 {
			keys, more = keys[:4], " …"
		}
		source := r.Source
		if strings.HasPrefix(source, "docs/") {
			source = "[here](#values-by-their-names)"
		}
		table = fmt.Appendf(table, "| `%s` | ``%s``%s | %s |\n", r.ID, strings.ReplaceAll(strings.Join(keys, " "), "|", `\|`), more, source)
	}
	table = append(table, '\n')
	if *update {
		if err := os.WriteFile(referencePage, slices.Concat(before, begin, table, end, after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(listed, table) {
		t.Error("the table differs from the rules: go test ./ingest/redact -run TestReference -update")
	}
}
