package mcp

import (
	"bytes"
	"slices"

	"github.com/cespare/xxhash/v2"
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// message is a JSON-RPC message that calls a method.
type message struct {
	*fastjson.Value
	raw []byte
	id  []byte // as JSON; nil for a notification
}

// params returns a member of the message's parameters as JSON.
func (m *message) params(name string) []byte {
	return dialect.RawMember(dialect.RawMember(m.raw, "params"), name)
}

// methods has the methods of all versions of the protocol. Methods without a handler are known
// and ignored.
var methods = dialect.NewTypes(map[string]func(*decoder, *message){
	"tools/call":              (*decoder).toolsCall,
	"notifications/progress":  (*decoder).progress,
	"notifications/message":   (*decoder).log,
	"notifications/cancelled": (*decoder).cancelled,

	"initialize": nil, "server/discover": nil, "ping": nil, "tools/list": nil,
	"resources/list": nil, "resources/read": nil, "resources/templates/list": nil,
	"resources/subscribe": nil, "resources/unsubscribe": nil, "subscriptions/listen": nil,
	"prompts/list": nil, "prompts/get": nil, "completion/complete": nil, "logging/setLevel": nil,
	"sampling/createMessage": nil, "elicitation/create": nil, "roots/list": nil,
	"tasks/get": nil, "tasks/list": nil, "tasks/result": nil, "tasks/cancel": nil, "tasks/update": nil,

	"notifications/initialized": nil, "notifications/tools/list_changed": nil,
	"notifications/resources/list_changed": nil, "notifications/resources/updated": nil,
	"notifications/prompts/list_changed": nil, "notifications/roots/list_changed": nil,
	"notifications/elicitation/complete": nil, "notifications/tasks/status": nil,
	"notifications/subscriptions/acknowledged": nil, "notifications/tasks": nil,
})

// message reads one JSON-RPC message and returns its type.
func (d *decoder) message(v *fastjson.Value, raw []byte) string {
	id := dialect.RawMember(raw, "id")
	if dialect.RawNull(id) {
		id = nil
	}
	method := v.GetStringBytes("method")
	switch {
	case len(method) > 0:
		typ, known := methods.Of(method)
		if !known {
			d.Unknown()
		} else if typ.Handle != nil {
			typ.Handle(d, &message{v, raw, id})
		}
		d.await(id, raw, nil)
		return typ.Name
	case !dialect.IsNull(v.Get("error")):
		d.response(id, func(tool *model.Tool) { d.failed(tool, v.Get("error"), raw) })
		return typeError
	case dialect.IsObject(v.Get("result")):
		result := dialect.RawMember(raw, "result")
		if id != nil && !d.response(id, func(tool *model.Tool) { d.returned(tool, v.Get("result"), result) }) {
			d.lone(id, v.Get("result"), result)
		}
		return typeResult
	}
	d.Unknown()
	return ""
}

// request is a request without a response.
type request struct {
	id        string // as JSON
	direction schema.Direction
	content   uint64      // hash of the message
	tool      *model.Tool // nil for other requests
}

// requestLimit bounds the requests that wait for their responses.
const requestLimit = 256

// await keeps a request until its response comes.
func (d *decoder) await(id, raw []byte, tool *model.Tool) {
	if id == nil {
		return
	}
	if waits, _ := d.awaits(id, raw); !waits {
		d.waiting = dialect.AppendRecent(d.waiting, request{string(id), d.Frame.Direction, xxhash.Sum64(raw), tool}, requestLimit)
	}
}

// awaits reports whether a request with an id waits for its response, and whether the message raw is that request
// again.
func (d *decoder) awaits(id, raw []byte) (waits, again bool) {
	i := slices.IndexFunc(d.waiting, func(r request) bool { return r.id == string(id) && r.direction == d.Frame.Direction })
	if i < 0 {
		return false, false
	}
	return true, d.waiting[i].content == xxhash.Sum64(raw)
}

// requested returns the call of the request in progress with an id, or nil.
func (d *decoder) requested(id []byte) *model.Tool {
	for _, r := range slices.Backward(d.waiting) {
		if r.tool != nil && r.id == string(id) && slices.Contains(d.OpenTools(), r.tool) {
			return r.tool
		}
	}
	return nil
}

// response finds the request of a response, and calls end if it was a tool call. It reports whether
// there is such a request. Both sides count their requests from the same number: a response goes in
// the opposite direction of its request, if frames have directions. An error without an id answers
// the only request in progress.
func (d *decoder) response(id []byte, end func(*model.Tool)) bool {
	best := -1
	for i, r := range d.waiting {
		if !bytes.Equal(id, []byte(r.id)) && (id != nil || len(d.waiting) > 1) {
			continue
		}
		if best < 0 || r.direction != d.Frame.Direction {
			best = i
		}
	}
	if best < 0 {
		return false
	}
	tool := d.waiting[best].tool
	d.waiting = slices.Delete(d.waiting, best, best+1)
	if tool != nil && slices.Contains(d.OpenTools(), tool) {
		end(tool)
	}
	return true
}
