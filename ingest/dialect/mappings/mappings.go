// Package mappings has the dialects that are described by mapping files which are part of the
// program. docs/dialects/custom.md describes such files.
package mappings

import (
	"embed"
	"fmt"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/custom"
)

//go:embed *.yaml
var files embed.FS

// All returns the dialects, sorted by name. The caller owns the list.
func All() []dialect.Dialect {
	names, err := files.ReadDir(".")
	if err != nil {
		panic(fmt.Errorf("list the mapping files: %w", err))
	}
	list := make([]dialect.Dialect, 0, len(names))
	for _, name := range names {
		list = append(list, read(name.Name()))
	}
	return list
}

// read reads a file. As the files are part of the program, an error is one of the program.
func read(name string) dialect.Dialect {
	text, err := files.ReadFile(name)
	if err != nil {
		panic(fmt.Errorf("read the mapping file %s: %w", name, err))
	}
	m, err := custom.Parse(name, text)
	if err != nil {
		panic(fmt.Errorf("read the mapping file: %w", err))
	}
	d := m.Dialect()
	d.Match = certain(d.Match)
	return d
}

// certain makes a match Certain that is Likely. The conditions of these files name members that no
// other known protocol has together.
func certain(match func(*dialect.Input) (dialect.Confidence, string)) func(*dialect.Input) (dialect.Confidence, string) {
	return func(in *dialect.Input) (dialect.Confidence, string) {
		sure, evidence := match(in)
		if sure == dialect.Likely {
			sure = dialect.Certain
		}
		return sure, evidence
	}
}
