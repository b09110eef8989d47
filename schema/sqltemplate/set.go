// Package sqltemplate renders the SQL statements of a package from its files.
//
// A statement is a file sql/<name>.sql; it is a text/template if the statement has optional parts.
// A template inserts only the program's own SQL, such as a column or a fragment. External values
// are passed to ClickHouse as parameters of the statement.
//
// Every set of statements also has the predicates of sql/ in this package: "current" selects the
// rows of streams and facts that count, and "visible" selects the rows that are not deleted. All
// statements that read recordings use them.
package sqltemplate

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"text/template"
)

//go:embed sql/*.sql
var predicates embed.FS

// Set holds the statements of a package. It is safe for use by many goroutines.
type Set struct{ templates func() *template.Template }

// Parse returns the statements in the files sql/*.sql of the given file systems. The first use of
// the set parses the files: most commands need no statement, and parsing all sets of the program
// takes about a third of the processor time of its start. The first use panics if a file system
// has no statements or a template is invalid.
func Parse(files ...fs.FS) *Set {
	return &Set{sync.OnceValue(func() *template.Template { return parse(files) })}
}

func parse(files []fs.FS) *template.Template {
	t := template.New("")
	t.Funcs(template.FuncMap{
		// render returns the text of a template, as an argument for another template.
		"render": func(name string, shape any) (string, error) { return render(t, name, shape) },
	})
	template.Must(t.ParseFS(predicates, "sql/*.sql"))
	for _, f := range files {
		template.Must(t.ParseFS(f, "sql/*.sql"))
	}
	return t
}

// Text returns the statement sql/<name>.sql, with the optional parts that shape selects.
func (s *Set) Text(name string, shape any) (string, error) {
	text, err := render(s.templates(), name+".sql", shape)
	if err != nil {
		return "", fmt.Errorf("build statement %s: %w", name, err)
	}
	return text, nil
}

// Must is Text for package variables. It panics on an error.
func (s *Set) Must(name string, shape any) string {
	text, err := s.Text(name, shape)
	if err != nil {
		panic(err)
	}
	return text
}

func render(t *template.Template, name string, shape any) (string, error) {
	var b strings.Builder
	err := t.ExecuteTemplate(&b, name, shape)
	return b.String(), err
}
