// Package jsonrpc compares JSON-RPC messages of a client with recorded ones, and writes errors of
// JSON-RPC.
package jsonrpc

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"slices"
	"strings"

	"github.com/valyala/fastjson"

	"tapedeck/internal/secrets"
	"tapedeck/replay/emulate"
)

// Call is a JSON-RPC message of a client: a request, a notification (without an id), or the answer
// to a request of the server (without a method).
type Call struct {
	ID, Token string // the id and the progress token as JSON; "" for none
	Method    string
	Target    string // of MCP: name of the tool or prompt, or URI of the resource

	params fingerprint
	loose  fingerprint // fingerprint of the params without ids that a client generates
	text   []byte      // the params; only set for calls that a client sends now
	hidden []string    // members of recorded params whose values were masked
}

// Asks reports whether the message is a request, which has an answer.
func (c Call) Asks() bool { return c.Method != "" && c.ID != "" }

// fingerprint is equal for params that are equivalent.
type fingerprint [sha256.Size]byte

// Recorded returns the call of a recorded message.
func Recorded(v *fastjson.Value) Call {
	c, text := read(v)
	c.hidden = hiddenIn(text)
	c.params, c.loose = paramsPrint(text, c.hidden, false), paramsPrint(text, c.hidden, true)
	return c
}

// Sent returns the call of a message that a client sends now.
func Sent(v *fastjson.Value) Call {
	c, text := read(v)
	c.params, c.loose, c.text = paramsPrint(text, nil, false), paramsPrint(text, nil, true), text
	return c
}

// read returns the call without its fingerprints, and its params, or of an answer its result.
func read(v *fastjson.Value) (c Call, text []byte) {
	c = Call{
		ID: Member(v, "id"), Token: Member(v, "params", "_meta", "progressToken"),
		Method: string(v.GetStringBytes("method")),
	}
	if strings.HasPrefix(c.Method, "tools/") || strings.HasPrefix(c.Method, "prompts/") || strings.HasPrefix(c.Method, "resources/") {
		c.Target = string(v.GetStringBytes("params", "name")) + string(v.GetStringBytes("params", "uri"))
	}
	params := v.Get("params")
	if c.Method == "" {
		params = v.Get("result")
	}
	return c, emulate.AppendJSON(nil, params)
}

// Similarity is the similarity of a call to a recorded call. The values are in ascending order.
type Similarity int

// The similarities.
const (
	OtherCall  Similarity = iota
	SameTarget            // the same method, and the same tool, prompt or resource
	SameButIDs            // the same params without ids that the client generates
	SameCall              // the same method and params
)

// Similarity compares a call that a client sends with a recorded call.
func (c *Call) Similarity(recorded *Call) Similarity {
	params, loose := c.params, c.loose
	if len(recorded.hidden) > 0 {
		params, loose = paramsPrint(c.text, recorded.hidden, false), paramsPrint(c.text, recorded.hidden, true)
	}
	switch {
	case c.Method != recorded.Method, (c.ID == "") != (recorded.ID == ""):
		return OtherCall
	case params == recorded.params:
		return SameCall
	case loose == recorded.loose:
		return SameButIDs
	case c.Target == recorded.Target:
		return SameTarget
	}
	return OtherCall
}

// Member returns a member as JSON, "" if it is missing or null.
func Member(v *fastjson.Value, path ...string) string {
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
	if !bytes.Contains(text, []byte(secrets.Mask)) || json.Unmarshal(text, &v) != nil {
		return nil
	}
	eachObject(v, func(o map[string]any) {
		for name, member := range o {
			if s, ok := member.(string); ok && strings.Contains(s, secrets.Mask) && !slices.Contains(names, name) {
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
