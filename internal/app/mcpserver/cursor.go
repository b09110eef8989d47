package mcpserver

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
)

// cursor is where the next part of an answer begins. It belongs to the tool and the arguments of the
// call that returned it.
type cursor struct {
	Of string `json:"o"` // hash of the tool and its arguments
	At string `json:"a"` // a cursor of the API, or a number
}

// subject returns the hash of the call without its place in the answer.
func (c *call) subject() string {
	of := maps.Clone(c.arguments)
	for _, name := range []string{"cursor", "limit", "message", "offset"} {
		delete(of, name)
	}
	sum := sha256.Sum256(append([]byte(c.tool+" "), encoded(of)...))
	return hex.EncodeToString(sum[:6])
}

func (c *call) cursor(at string) string {
	return base64.RawURLEncoding.EncodeToString(encoded(cursor{c.subject(), at}))
}

// after returns the place of a cursor; "" for no cursor.
func (c *call) after(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	var at cursor
	plain, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || json.Unmarshal(plain, &at) != nil || at.Of == "" {
		return "", fmt.Errorf(`the argument "cursor" of %s is not a cursor: leave it out to begin at the start, or copy the call in "more" of the answer before`, c.tool)
	}
	if at.Of != c.subject() {
		return "", fmt.Errorf(`the argument "cursor" belongs to another call: to another tool, another session or other arguments. Leave it out to begin at the start, or repeat %s with the arguments that "more" of that answer has`, c.tool)
	}
	return at.At, nil
}

// offset is after for places that are numbers.
func (c *call) offset(text string) (int, error) {
	at, err := c.after(text)
	if err != nil || at == "" {
		return 0, err
	}
	n, err := strconv.Atoi(at)
	if err != nil || n < 0 {
		return 0, fmt.Errorf(`the argument "cursor" of %s is not a cursor: leave it out to begin at the start`, c.tool)
	}
	return n, nil
}

// again returns the arguments of this call with others in their place.
func (c *call) again(with map[string]any) map[string]any {
	arguments := maps.Clone(c.arguments)
	maps.Copy(arguments, with)
	for name, value := range with {
		if value == nil {
			delete(arguments, name)
		}
	}
	return arguments
}

// next names the call that returns the items from a place on.
func (c *call) next(what, at string) more {
	return more{What: what, Tool: c.tool, Arguments: c.again(map[string]any{"cursor": c.cursor(at)})}
}

// argumentsOf returns the arguments of a call as an object.
func argumentsOf(raw json.RawMessage) map[string]any {
	arguments := map[string]any{}
	_ = json.Unmarshal(raw, &arguments) // the SDK has checked them against the schema
	return arguments
}
