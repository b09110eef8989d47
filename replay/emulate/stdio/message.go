package stdio

import (
	"encoding/json"

	"github.com/valyala/fastjson"

	"tapedeck/replay/emulate/jsonrpc"
)

// kind is the kind of a message.
type kind uint8

const (
	invalid kind = iota // no message of JSON-RPC
	request
	notification
	answer
)

// parse returns the value of a line, nil if it is no JSON. The parser alone accepts numbers that JSON
// does not have.
func parse(line []byte) *fastjson.Value {
	if !json.Valid(line) {
		return nil
	}
	v, err := fastjson.ParseBytes(line)
	if err != nil {
		return nil // nested too deep
	}
	return v
}

// kindOf returns the kind of a message. Messages of Codex lack the member jsonrpc.
func kindOf(v *fastjson.Value) kind {
	id := jsonrpc.Member(v, "id") != ""
	switch {
	case v.Type() != fastjson.TypeObject:
	case len(v.GetStringBytes("method")) > 0 && id:
		return request
	case len(v.GetStringBytes("method")) > 0:
		return notification
	case id && (v.Exists("result") || v.Exists("error")):
		return answer
	}
	return invalid
}

// scopesOf returns the ids of what a message is about, the narrowest first: a turn, and a session or
// a thread.
func scopesOf(v *fastjson.Value) (scopes []string) {
	for _, path := range [][]string{
		{"params", "turnId"}, {"params", "turn", "id"}, {"result", "turn", "id"},
		{"params", "sessionId"}, {"result", "sessionId"},
		{"params", "threadId"}, {"params", "thread", "id"}, {"result", "thread", "id"},
	} {
		if id := v.GetStringBytes(path...); len(id) > 0 {
			scopes = append(scopes, string(id))
		}
	}
	return scopes
}

// Methods by which a client cancels a turn.
const (
	cancelSession = "session/cancel"          // ACP: the prompt of the session
	cancelRequest = "$/cancel_request"        // ACP: the request with an id
	cancelCall    = "notifications/cancelled" // MCP: the request with an id
	interruptTurn = "turn/interrupt"          // Codex: a turn of a thread
)

// cancels reports whether a message of the method cancels a turn.
func cancels(method string) bool {
	switch method {
	case cancelSession, cancelRequest, cancelCall, interruptTurn:
		return true
	}
	return false
}
