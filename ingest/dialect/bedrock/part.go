package bedrock

import (
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// part is a JSON value, parsed and as text.
type part struct {
	v   *fastjson.Value
	raw []byte
}

func (p part) member(name string) part {
	return part{p.v.Get(name), dialect.RawMember(p.raw, name)}
}

// partOf returns the name of an event and its content. The headers of a binary message name the
// event. A line is an object whose only member is the event. A whole body has no name.
func partOf(in *dialect.Input) (name []byte, p part) {
	if in.Transport == schema.EventStream {
		return []byte(in.Event), part{in.JSON, in.Data}
	}
	whole := part{in.JSON, in.Data}
	members, ok := dialect.MembersOf(in.Data)
	if in.JSON == nil || !ok || in.Transport == schema.HTTP {
		return nil, whole
	}
	name, _, ok = members.Next()
	if _, _, more := members.Next(); !ok || more {
		return nil, whole
	}
	return name, whole.member(string(name))
}
