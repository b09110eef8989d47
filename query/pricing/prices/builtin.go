package prices

import (
	_ "embed"
	"sync"
)

// generated is the table that generator/generate.mjs writes.
//
//go:embed table.json
var generated []byte

// Builtin returns the table that is part of the program, with the amendments by which calls are
// charged.
var Builtin = sync.OnceValue(func() *Table {
	t, err := Load(generated)
	if err != nil {
		panic(err) // TestBuiltin loads the same bytes
	}
	t.amend(ownOverlay())
	return t
})
