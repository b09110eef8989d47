package compozy

import (
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
)

// event is what a frame says.
type event struct {
	kind
	name string
	exec []byte // the execution that it names itself, nil for none
	id   []byte // as an envelope states it; else the SSE event's stands
	data []byte // as it stood: JSON or plain text
	// value is data parsed, nil for plain text.
	value *fastjson.Value
}

// read takes a frame apart. A frame without an SSE event's name may hold the
// envelope in which the server keeps events, {"id","exec_id","type","ts","data"},
// or what it publishes, {"type","content","ts"}; so may one that has a name.
// name is the type in any case.
func read(in *dialect.Input) (e event, name string, ok bool) {
	name = in.Event
	e.data, e.value = in.Data, in.JSON
	if dialect.IsObject(in.JSON) {
		typ := in.JSON.GetStringBytes("type")
		if len(typ) > 0 && (name == "" || name == "message" || name == string(typ)) {
			if name != string(typ) {
				name = dialect.Intern(typ)
			}
			e.open(in)
		}
	}
	typ, ok := kinds[name]
	e.kind, e.name = typ.Handle, typ.Name
	return e, name, ok
}

// open takes what the event says out of its envelope, if it is in one.
func (e *event) open(in *dialect.Input) {
	inside := in.JSON.Get("data")
	if inside == nil {
		return
	}
	e.exec = in.JSON.GetStringBytes("exec_id")
	e.id = dialect.RawMember(in.Data, "id")
	e.data, e.value = dialect.RawMember(in.Data, "data"), inside
	if inside.Type() == fastjson.TypeString { // plain text
		e.data, e.value = inside.GetStringBytes(), nil
	}
}

// isObject reports whether the event says more than a text.
func (e *event) isObject() bool { return dialect.IsObject(e.value) }

// text returns a member that is a text, the first that is there; nil for none.
func (e *event) text(names ...string) []byte {
	for _, name := range names {
		if text := e.value.GetStringBytes(name); text != nil {
			return text
		}
	}
	return nil
}

// raw returns a member as it stood, the first that says something; nil for none.
func (e *event) raw(names ...string) []byte {
	for _, name := range names {
		if !dialect.IsNull(e.value.Get(name)) {
			return dialect.RawMember(e.data, name)
		}
	}
	return nil
}

// content returns a member for a message: a text as the text that it is, all else
// as JSON. Nil says that there is none.
func (e *event) content(names ...string) (text []byte, media string) {
	for _, name := range names {
		switch v := e.value.Get(name); {
		case dialect.IsNull(v):
		case v.Type() == fastjson.TypeString:
			return v.GetStringBytes(), "text"
		default:
			return dialect.RawMember(e.data, name), "json"
		}
	}
	return nil, ""
}

// why returns what went wrong: {"message"}, {"error":"text"}, {"error":{"message"}},
// or a plain text.
func (e *event) why() []byte {
	if !e.isObject() {
		return e.data
	}
	if text := e.text("error", "message"); text != nil {
		return text
	}
	return e.errorText()
}

// errorText returns the member error: a text, or what is one of its message.
func (e *event) errorText() []byte {
	if text := e.text("error"); text != nil {
		return text
	}
	if text := e.value.GetStringBytes("error", "message"); text != nil {
		return text
	}
	return e.raw("error")
}
