package custom

import (
	"encoding/json"
	"fmt"
)

// Path is a path to values of a JSON text, in the notation of dialect files: a.b[0].c[*].
type Path struct{ path path }

// ParsePath reads a path. It refuses the fields of a frame that are not in its JSON.
func ParsePath(text string) (*Path, error) {
	p, err := parsePath(text)
	if err == nil && p.field != inJSON {
		err = fmt.Errorf("%q is not a path to a value of JSON, such as items[0].name", text)
	}
	return &Path{p}, err
}

// Values returns the values at the path, as JSON. A missing value and null are left out, and a text
// that is not JSON has no values. The values alias the text.
func (p *Path) Values(text []byte) (values [][]byte) {
	if !json.Valid(text) {
		return nil
	}
	descend(text, nil, p.path.steps, func(_, value []byte) bool {
		values = append(values, value)
		return true
	})
	return values
}
