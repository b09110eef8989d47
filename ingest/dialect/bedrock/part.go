package bedrock

import (
	"bytes"

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
// event. A line is an object with the event as its member, beside which may be padding and what
// the service adds. A whole body has no name.
func partOf(in *dialect.Input) (name []byte, p part) {
	if in.Transport == schema.EventStream {
		return []byte(in.Event), part{in.JSON, in.Data}
	}
	whole := part{in.JSON, in.Data}
	members, ok := dialect.MembersOf(in.Data)
	if in.JSON == nil || !ok || in.Transport == schema.HTTP {
		return nil, whole
	}
	for {
		member, _, more := members.Next()
		switch {
		case !more && name == nil:
			return nil, whole
		case !more:
			return name, whole.member(string(name))
		case string(member) == "p" || bytes.HasPrefix(member, []byte("amazon-bedrock-")):
		case name != nil:
			return nil, whole
		default:
			name = member
		}
	}
}
