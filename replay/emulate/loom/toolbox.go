package loom

import (
	"maps"
	"slices"

	"github.com/valyala/fastjson"

	"tapedeck/replay/emulate"
)

// toolbox holds the information about tools in a session.
type toolbox struct {
	listed bool              // a tools_list was recorded, so there are no other tools
	specs  map[string][]byte // recorded definitions, JSON
	order  []string          // order of specs
	called map[string]map[string]string
}

func newToolbox() toolbox {
	return toolbox{specs: map[string][]byte{}, called: map[string]map[string]string{}}
}

// recorded stores a tool's definition.
func (t *toolbox) recorded(spec *fastjson.Value) {
	name := text(spec, "name")
	if name == "" {
		return
	}
	if t.specs[name] == nil {
		t.order = append(t.order, name)
	}
	t.specs[name] = emulate.AppendJSON(nil, spec)
}

// call records, from a tool call, that the tool exists and which arguments it accepts. The
// arguments of the call may be unknown.
func (t *toolbox) call(name, arguments string) {
	if name == "" {
		return
	}
	if t.called[name] == nil {
		t.called[name] = map[string]string{}
	}
	v, err := fastjson.Parse(arguments)
	if err != nil {
		return
	}
	if args := v.GetObject(); args != nil {
		args.Visit(func(k []byte, v *fastjson.Value) {
			if kind := schemaType(v); kind != "" {
				t.called[name][string(k)] = kind
			}
		})
	}
}

func schemaType(v *fastjson.Value) string {
	switch v.Type() {
	case fastjson.TypeObject:
		return "object"
	case fastjson.TypeArray:
		return "array"
	case fastjson.TypeString:
		return "string"
	case fastjson.TypeNumber:
		return "number"
	case fastjson.TypeTrue, fastjson.TypeFalse:
		return "boolean"
	}
	return ""
}

// names lists the tools in the order of a tools_list, then by name.
func (t *toolbox) names() []string {
	list := slices.Clone(t.order)
	if !t.listed {
		for _, name := range slices.Sorted(maps.Keys(t.called)) {
			if t.specs[name] == nil {
				list = append(list, name)
			}
		}
	}
	return list
}

// spec returns a tool's definition as JSON; nil for an unknown tool.
func (t *toolbox) spec(name string) []byte {
	if s := t.specs[name]; s != nil {
		return s
	}
	args, ok := t.called[name]
	if !ok {
		return nil
	}
	properties := members{b: []byte("{")}
	for _, arg := range slices.Sorted(maps.Keys(args)) {
		kind := members{b: []byte("{")}
		kind.text("type", args[arg])
		properties.raw(arg, append(kind.b, '}'))
	}
	input := members{b: []byte("{")}
	input.text("type", "object")
	input.raw("properties", append(properties.b, '}'))
	m := members{b: []byte("{")}
	m.text("name", name)
	m.raw("input_schema", append(input.b, '}'))
	return append(m.b, '}')
}
