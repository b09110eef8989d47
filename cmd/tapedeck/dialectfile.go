package main

import (
	"fmt"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/custom"
	"tapedeck/ingest/dialect/dialects"
	"tapedeck/internal/usage"
)

// dialectFiles are the flags of commands that decode.
type dialectFiles struct {
	DialectFile []string `help:"A file that describes a protocol, which becomes a dialect (docs/dialects/custom.md); may be repeated." env:"TAPEDECK_DIALECT_FILE" placeholder:"FILE"`
}

// load reads the files and adds their dialects to those of this process.
func (f *dialectFiles) load() error {
	var list []dialect.Dialect
	for _, path := range f.DialectFile {
		m, err := custom.ReadFile(path)
		if err != nil {
			return usage.As(err)
		}
		list = append(list, m.Dialect())
		if err := dialects.SetCustom(list); err != nil {
			return usage.As(fmt.Errorf("%s: %w", path, err))
		}
	}
	return nil
}
