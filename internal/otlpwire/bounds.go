package otlpwire

import "fmt"

// Bounds on a request. An item of two bytes has some hundred in memory.
const (
	MaxItems  = 100_000
	MaxValues = 400_000 // attributes and elements of arrays at any depth, events, scopes and resources
	// MaxJSON bounds the values of any kind in JSON, which are read before what they mean. An
	// attribute has four.
	MaxJSON = 2_000_000
)

// BoundError reports a request with more items or values than are read.
type BoundError struct {
	Of    string // what there are too many of
	Limit int
}

func (e *BoundError) Error() string {
	return fmt.Sprintf("the request has more than %d %s", e.Limit, e.Of)
}

// parser reads one request and counts what it has.
type parser struct {
	items, values int

	keys map[string]string // of attributes by their bytes, since all items have the same few
}

// key returns the text of a field that is an attribute's key.
func (p *parser) key(f *field) string {
	key, ok := p.keys[string(f.raw)]
	if !ok {
		key = f.text()
		if p.keys == nil {
			p.keys = map[string]string{}
		}
		p.keys[string(f.raw)] = key
	}
	return key
}

func (p *parser) item() error {
	if p.items++; p.items > MaxItems {
		return &BoundError{"spans or log records", MaxItems}
	}
	return nil
}

func (p *parser) value() error {
	if p.values++; p.values > MaxValues {
		return &BoundError{"attributes, array elements, events, scopes and resources", MaxValues}
	}
	return nil
}

// checkJSON counts the values of a well-formed text by what separates them.
func checkJSON(data []byte) error {
	values, quoted := 1, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case !quoted && (c == ',' || c == ':' || c == '[' || c == '{'):
			values++
		}
	}
	if values > MaxJSON {
		return &BoundError{"values in JSON", MaxJSON}
	}
	return nil
}
