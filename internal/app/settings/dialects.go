package settings

import (
	"fmt"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/custom"
	"tapedeck/ingest/dialect/dialects"
	"tapedeck/internal/commandline"
)

// DialectFiles are the flags of commands that decode.
type DialectFiles struct {
	DialectFile []string `help:"A file that describes a protocol, which becomes a dialect (docs/dialects/custom.md); may be repeated." reload:"files" env:"TAPEDECK_DIALECT_FILE" placeholder:"FILE"`
}

// read reads the files.
func (f *DialectFiles) read() ([]dialect.Dialect, error) {
	var list []dialect.Dialect
	for _, path := range f.DialectFile {
		m, err := custom.ReadFile(path)
		if err != nil {
			return nil, commandline.As(err)
		}
		list = append(list, m.Dialect())
		if err := dialects.CheckCustom(list); err != nil {
			return nil, commandline.As(fmt.Errorf("%s: %w", path, err))
		}
	}
	return list, nil
}

// Load reads the files and makes their dialects the custom ones of this process.
func (f *DialectFiles) Load() error {
	list, err := f.read()
	if err != nil {
		return err
	}
	return commandline.As(dialects.SetCustom(list))
}
