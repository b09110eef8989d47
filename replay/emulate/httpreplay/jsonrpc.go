package httpreplay

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/valyala/fastjson"

	"tapedeck/internal/jsonstring"
	"tapedeck/replay/emulate"
	"tapedeck/schema"
)

// call is a JSON-RPC 2.0 message of a client: a request, a notification (without an id), or the
// answer to a request of the server (without a method).
type call struct {
	id, token string // the id and the progress token as JSON; "" for none
	method    string
	target    string // name of the tool or prompt, or URI of the resource, in the params
	params    fingerprint
	loose     fingerprint // fingerprint of the params without ids that a client generates
	text      []byte      // the params; only set for calls that a client sends now
	hidden    []string    // members of recorded params whose values were masked
}

// Similarities of a request to a recorded request, in ascending order.
const (
	otherCall  = iota
	sameTarget // the same method, and the same tool, prompt or resource
	sameButIDs // the same params without ids that the client generates
	sameCall   // the same method and params
)

// callsOf returns the JSON-RPC messages of a body, which is a single message or a batch. It returns
// nil for any other body. The text of the params is kept only if keepText is set.
func callsOf(body []byte, keepText bool) []call {
	if !bytes.Contains(body, []byte(`"jsonrpc"`)) {
		return nil
	}
	v, err := fastjson.ParseBytes(body)
	if err != nil {
		return nil
	}
	list := []*fastjson.Value{v}
	if v.Type() == fastjson.TypeArray {
		list = v.GetArray()
	}
	var calls []call
	for _, v := range list {
		if string(v.GetStringBytes("jsonrpc")) != "2.0" || !v.Exists("method") && !v.Exists("result") && !v.Exists("error") {
			return nil
		}
		c := call{method: string(v.GetStringBytes("method")), id: memberText(v, "id")}
		params := v.Get("params")
		if c.method == "" {
			params = v.Get("result")
		}
		c.token = memberText(v, "params", "_meta", "progressToken")
		c.target = string(v.GetStringBytes("params", "name")) + string(v.GetStringBytes("params", "uri"))
		text := emulate.AppendJSON(nil, params)
		if !keepText {
			c.hidden = hiddenIn(text)
		}
		c.params, c.loose = paramsPrint(text, c.hidden, false), paramsPrint(text, c.hidden, true)
		if keepText {
			c.text = text
		}
		calls = append(calls, c)
	}
	return calls
}

// memberText returns a member as JSON, "" if it is missing or null.
func memberText(v *fastjson.Value, path ...string) string {
	if m := v.Get(path...); m != nil && m.Type() != fastjson.TypeNull {
		return string(emulate.AppendJSON(nil, m))
	}
	return ""
}

// paramsPrint returns the fingerprint of params. It leaves out _meta, which describes the transfer
// and not the call, and the members in hidden at any depth. If loose is set, it also leaves out the
// message id that an A2A client generates for each message.
func paramsPrint(text []byte, hidden []string, loose bool) fingerprint {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber() // so that long numbers are not rounded
	var v any
	if err := d.Decode(&v); err != nil {
		return sha256.Sum256(text)
	}
	if o, ok := v.(map[string]any); ok {
		delete(o, "_meta")
		if message, ok := o["message"].(map[string]any); ok && loose {
			delete(message, "messageId")
		}
		if len(o) == 0 {
			v = nil // params may be left out
		}
	}
	if len(hidden) > 0 {
		eachObject(v, func(o map[string]any) {
			for _, name := range hidden {
				delete(o, name)
			}
		})
	}
	text, err := json.Marshal(v) // members in order
	if err != nil {
		return sha256.Sum256(text)
	}
	return sha256.Sum256(text)
}

// hiddenIn lists the members, at any depth, whose values were masked in whole or in part.
func hiddenIn(text []byte) (names []string) {
	var v any
	if !bytes.Contains(text, []byte(redacted)) || json.Unmarshal(text, &v) != nil {
		return nil
	}
	eachObject(v, func(o map[string]any) {
		for name, member := range o {
			if s, ok := member.(string); ok && strings.Contains(s, redacted) && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	})
	return names
}

func eachObject(v any, see func(map[string]any)) {
	switch v := v.(type) {
	case map[string]any:
		see(v)
		for _, member := range v {
			eachObject(member, see)
		}
	case []any:
		for _, item := range v {
			eachObject(item, see)
		}
	}
}

// similarity compares the messages of a request with the messages of a recorded request.
func similarity(asked, recorded []call) int {
	if len(asked) == 0 || len(asked) != len(recorded) {
		return otherCall
	}
	same := sameCall
	for i := range asked {
		same = min(same, asked[i].similarity(&recorded[i]))
	}
	return same
}

func (c *call) similarity(recorded *call) int {
	params, loose := c.params, c.loose
	if len(recorded.hidden) > 0 {
		params, loose = paramsPrint(c.text, recorded.hidden, false), paramsPrint(c.text, recorded.hidden, true)
	}
	switch {
	case c.method != recorded.method, (c.id == "") != (recorded.id == ""):
		return otherCall
	case params == recorded.params:
		return sameCall
	case loose == recorded.loose:
		return sameButIDs
	case c.target == recorded.target:
		return sameTarget
	}
	return otherCall
}

// mostSimilar returns the exchanges whose JSON-RPC requests are most similar to a request, provided
// that they are at least as similar as least.
func mostSimilar(here []*exchange, asked []call, least int) []*exchange {
	for level := sameCall; level >= max(least, sameTarget); level-- {
		if same := keep(here, func(x *exchange) bool { return similarity(asked, x.calls) == level }); len(same) > 0 {
			return same
		}
	}
	return nil
}

// renames maps recorded ids and progress tokens of JSON-RPC messages to the ids and tokens of the
// client.
type renames func(kind idKind, recorded string) (string, bool)

type idKind string

const (
	messageID     idKind = "id "
	progressToken idKind = "token "
)

// pairs calls see with each id and progress token of recorded requests, and the corresponding one
// of the client's requests.
func pairs(recorded, asked []call, see func(kind idKind, recorded, asked string)) {
	for i := range min(len(recorded), len(asked)) {
		if r, a := &recorded[i], &asked[i]; r.method != "" {
			if r.id != "" && a.id != "" {
				see(messageID, r.id, a.id)
			}
			if r.token != "" && a.token != "" {
				see(progressToken, r.token, a.token)
			}
		}
	}
}

// rename replaces the ids of answers, and the tokens of progress notifications, in a JSON-RPC
// message or batch of the server. It returns false if there is nothing to replace.
func (to renames) rename(data []byte) ([]byte, bool) {
	if !bytes.Contains(data, []byte(`"jsonrpc"`)) {
		return nil, false
	}
	v, err := fastjson.ParseBytes(data)
	if err != nil {
		return nil, false
	}
	list := []*fastjson.Value{v}
	if v.Type() == fastjson.TypeArray {
		list = v.GetArray()
	}
	changed := false
	set := func(o *fastjson.Value, name string, kind idKind) {
		if now, ok := to(kind, memberText(o, name)); ok {
			o.Set(name, fastjson.MustParse(now))
			changed = true
		}
	}
	for _, m := range list {
		switch {
		case !m.Exists("method"):
			set(m, "id", messageID)
		case string(m.GetStringBytes("method")) == "notifications/progress" && m.Get("params") != nil:
			set(m.Get("params"), "progressToken", progressToken)
		}
	}
	if !changed {
		return nil, false
	}
	return emulate.AppendJSON(nil, v), true
}

// renameFrame returns the bytes of a frame with the ids of its JSON-RPC messages replaced.
func (to renames) renameFrame(f *schema.Frame) []byte {
	c, _ := schema.Unframe(f, nil)
	data, changed := to.rename(c.Data)
	switch {
	case !changed:
		return f.Raw
	case f.Transport != schema.SSE:
		return append(data, f.Raw[len(bytes.TrimRight(f.Raw, " \t\r\n")):]...)
	}
	var event []byte
	for line := range bytes.Lines(f.Raw) {
		name, _, _ := bytes.Cut(bytes.TrimRight(line, "\r\n"), []byte(":"))
		switch {
		case string(bytes.TrimPrefix(name, []byte("\ufeff"))) != "data":
			event = append(event, line...)
		case data != nil:
			event = append(append(append(event, "data: "...), data...), '\n')
			data = nil
		}
	}
	return event
}

// direct is an answer that the server generates instead of a recorded one.
type direct struct {
	status int
	body   []byte // JSON; nil for none
}

func (d *direct) write(w http.ResponseWriter, r *http.Request) {
	if d.body != nil {
		w.Header().Set("Content-Type", "application/json")
	}
	emulate.CrossOrigin(w.Header(), r)
	w.WriteHeader(d.status)
	_, _ = w.Write(d.body) // an error means that the client has disconnected
}

// Error codes of JSON-RPC 2.0, and the error code of MCP servers for an unknown session.
const (
	methodNotFound  = -32601
	invalidParams   = -32602
	sessionNotFound = -32001
)

// sessionAnswer returns the answer to a request with an unknown MCP session, or to a request that
// ends a session.
func sessionAnswer(status int) *direct {
	d := &direct{status: status}
	if status == http.StatusNotFound {
		d.body = appendError(nil, "null", sessionNotFound, "Session not found: initialize again.")
	}
	return d
}

// notRecordedCalls returns the answer to JSON-RPC messages without a similar recorded request: an
// error for requests, and 202 for notifications and answers, as MCP prescribes.
func notRecordedCalls(session string, asked []call, here []*exchange) *direct {
	var methods []string
	for _, x := range here {
		for i := range x.calls {
			if m := x.calls[i].method; m != "" && !slices.Contains(methods, m) {
				methods = append(methods, m)
			}
		}
	}
	var errors [][]byte
	for i := range asked {
		c := &asked[i]
		if c.method == "" || c.id == "" {
			continue
		}
		code, text := invalidParams, fmt.Sprintf("Session %q has %s recorded with other params only.", session, c.method)
		if !slices.Contains(methods, c.method) {
			code, text = methodNotFound, fmt.Sprintf(
				"Session %q has no %s recorded, only %s.", session, c.method, strings.Join(methods, ", "),
			)
		}
		errors = append(errors, appendError(nil, c.id, code, text))
	}
	switch {
	case len(errors) == 0:
		return &direct{status: http.StatusAccepted}
	case len(asked) == 1:
		return &direct{http.StatusOK, errors[0]}
	}
	return &direct{http.StatusOK, slices.Concat([]byte("["), bytes.Join(errors, []byte(",")), []byte("]"))}
}

func appendError(b []byte, id string, code int, text string) []byte {
	b = fmt.Appendf(b, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":`, id, code)
	return append(jsonstring.Append(b, text), "}}"...)
}
