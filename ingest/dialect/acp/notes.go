package acp

import (
	"bytes"
	"encoding/json"
	"time"

	"tapedeck/ingest/dialect"
)

// notes are the attributes of a span, of which later frames state new values.
type notes []note

type note struct {
	name  string
	value []byte // JSON
}

// set sets a value. An empty value changes nothing.
func (n *notes) set(name string, value []byte) {
	if len(value) == 0 {
		return
	}
	for i := range *n {
		if (*n)[i].name == name {
			(*n)[i].value = bytes.Clone(value)
			return
		}
	}
	*n = append(*n, note{name, bytes.Clone(value)})
}

func (n *notes) setText(name, value string) {
	quoted, _ := json.Marshal(value) // a string never fails
	n.set(name, quoted)
}

func (n *notes) setTime(name string, at int64) {
	n.setText(name, time.Unix(0, at).UTC().Format(time.RFC3339Nano))
}

// attributes returns the notes as an object.
func (n *notes) attributes() (a dialect.Attributes) {
	for _, x := range *n {
		a.AddRaw(x.name, x.value)
	}
	return a
}
