package compozy

import (
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
)

// event is the event in a frame.
type event struct {
	kind
	name string
	exec []byte // the execution that the event names, or nil
	id   []byte // from an envelope; otherwise the SSE event's id is used
	data []byte // JSON or plain text
	// value is data parsed, nil for plain text.
	value *fastjson.Value
}

// read parses a frame. A frame without the name of an SSE event may have the envelope in which
// the server keeps events, {"id","exec_id","type","ts","data"}, or what the server publishes,
// {"type","content","ts"}. A frame with a name may have either as well. name is always the type.
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

// open takes the event out of its envelope, if it has one.
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

// isObject reports whether the event's data is an object.
func (e *event) isObject() bool { return dialect.IsObject(e.value) }

// text returns the first member that is a text, or nil.
func (e *event) text(names ...string) []byte {
	for _, name := range names {
		if text := e.value.GetStringBytes(name); text != nil {
			return text
		}
	}
	return nil
}

// raw returns the first member that is not empty, as JSON, or nil.
func (e *event) raw(names ...string) []byte {
	for _, name := range names {
		if !dialect.IsNull(e.value.Get(name)) {
			return dialect.RawMember(e.data, name)
		}
	}
	return nil
}

// content returns a member for a message: the text of a string, any other value as JSON, or nil.
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

// why returns the text of an error: {"message"}, {"error":"text"}, {"error":{"message"}}, or
// plain text.
func (e *event) why() []byte {
	if !e.isObject() {
		return e.data
	}
	if text := e.text("error", "message"); text != nil {
		return text
	}
	return e.errorText()
}

// errorText returns the text of the member error: a text, or an object's message.
func (e *event) errorText() []byte {
	if text := e.text("error"); text != nil {
		return text
	}
	if text := e.value.GetStringBytes("error", "message"); text != nil {
		return text
	}
	return e.raw("error")
}
