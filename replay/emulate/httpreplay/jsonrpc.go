package httpreplay

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/valyala/fastjson"

	"tapedeck/replay/emulate"
	"tapedeck/replay/emulate/jsonrpc"
	"tapedeck/schema"
)

// callsOf returns the JSON-RPC messages of a body, which is a single message or a batch. It returns
// nil for any other body. If sent is set, a client sends them now; else they were recorded.
func callsOf(body []byte, sent bool) []jsonrpc.Call {
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
	var calls []jsonrpc.Call
	read := jsonrpc.Recorded
	if sent {
		read = jsonrpc.Sent
	}
	for _, v := range list {
		if string(v.GetStringBytes("jsonrpc")) != "2.0" || !v.Exists("method") && !v.Exists("result") && !v.Exists("error") {
			return nil
		}
		calls = append(calls, read(v))
	}
	return calls
}

// similarity compares the messages of a request with the messages of a recorded request.
func similarity(asked, recorded []jsonrpc.Call) jsonrpc.Similarity {
	if len(asked) == 0 || len(asked) != len(recorded) {
		return jsonrpc.OtherCall
	}
	same := jsonrpc.SameCall
	for i := range asked {
		same = min(same, asked[i].Similarity(&recorded[i]))
	}
	return same
}

// mostSimilar returns the exchanges whose JSON-RPC requests are most similar to a request, provided
// that they are at least as similar as least.
func mostSimilar(here []*exchange, asked []jsonrpc.Call, least jsonrpc.Similarity) []*exchange {
	for level := jsonrpc.SameCall; level >= max(least, jsonrpc.SameTarget); level-- {
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
func pairs(recorded, asked []jsonrpc.Call, see func(kind idKind, recorded, asked string)) {
	for i := range min(len(recorded), len(asked)) {
		if r, a := &recorded[i], &asked[i]; r.Method != "" {
			if r.ID != "" && a.ID != "" {
				see(messageID, r.ID, a.ID)
			}
			if r.Token != "" && a.Token != "" {
				see(progressToken, r.Token, a.Token)
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
		if now, ok := to(kind, jsonrpc.Member(o, name)); ok {
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
	allow  string // the methods that are allowed; "" for no such field
}

func (d *direct) write(w http.ResponseWriter, r *http.Request) {
	if d.body != nil {
		w.Header().Set("Content-Type", "application/json")
	}
	if d.allow != "" {
		w.Header().Set("Allow", d.allow)
	}
	emulate.CrossOrigin(w.Header(), r)
	w.WriteHeader(d.status)
	_, _ = w.Write(d.body) // an error means that the client has disconnected
}

// sessionNotFound is the error code of MCP servers for an unknown session.
const sessionNotFound = -32001

// sessionAnswer returns the answer to a request with an unknown MCP session, or to a request that
// ends a session.
func sessionAnswer(status int) *direct {
	d := &direct{status: status}
	if status == http.StatusNotFound {
		d.body = jsonrpc.AppendError(nil, "null", sessionNotFound, "Session not found: initialize again.")
	}
	return d
}

// notRecordedCalls returns the answer to JSON-RPC messages without a similar recorded request: an
// error for requests, and 202 for notifications and answers, as MCP prescribes.
func notRecordedCalls(session string, asked []jsonrpc.Call, here []*exchange) *direct {
	var methods []string
	for _, x := range here {
		for i := range x.calls {
			if m := x.calls[i].Method; m != "" && !slices.Contains(methods, m) {
				methods = append(methods, m)
			}
		}
	}
	var errors [][]byte
	for i := range asked {
		c := &asked[i]
		if !c.Asks() {
			continue
		}
		code, text := jsonrpc.InvalidParams, fmt.Sprintf("Session %q has %s recorded with other params only.", session, c.Method)
		if !slices.Contains(methods, c.Method) {
			code, text = jsonrpc.MethodNotFound, fmt.Sprintf(
				"Session %q has no %s recorded, only %s.", session, c.Method, strings.Join(methods, ", "),
			)
		}
		errors = append(errors, jsonrpc.AppendError(nil, c.ID, code, text))
	}
	switch {
	case len(errors) == 0:
		return &direct{status: http.StatusAccepted}
	case len(asked) == 1:
		return &direct{status: http.StatusOK, body: errors[0]}
	}
	return &direct{status: http.StatusOK, body: slices.Concat([]byte("["), bytes.Join(errors, []byte(",")), []byte("]"))}
}
