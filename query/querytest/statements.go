package querytest

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/schema/sqltemplate"
)

var update = flag.Bool("update", false, "write testdata/statements anew")

// Statement is a statement of a shape. Its expected text is in testdata/statements/<File>.sql.
type Statement struct {
	File, Name string
	Shape      any
}

// NewStatement returns a statement.
func NewStatement(file, name string, shape any) Statement { return Statement{file, name, shape} }

// Statements compares the texts of statements with their files, so that a reviewer sees the effect
// of a change of a template.
func Statements(t *testing.T, set *sqltemplate.Set, list ...Statement) {
	t.Helper()
	for _, s := range list {
		t.Run(s.File, func(t *testing.T) {
			got, err := set.Text(s.Name, s.Shape)
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join("testdata", "statements", s.File+".sql")
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), got); d != "" {
				t.Errorf("%s (run with -update if the change is intended):\n%s", path, d)
			}
		})
	}
}
