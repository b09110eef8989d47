package sessionotlptest

import (
	"encoding/json"
	"slices"
)

// messages checks the form of instructions and messages, which are JSON texts.
func (c *check) messages() {
	for _, key := range []string{"gen_ai.input.messages", "gen_ai.output.messages"} {
		var list []struct {
			Role  string
			Parts []map[string]any
		}
		if c.decode(key, &list) {
			for _, m := range list {
				if !slices.Contains(roles, m.Role) {
					c.add("%s: role %q", key, m.Role)
				}
				c.parts(key, m.Parts)
			}
		}
	}
	var list []map[string]any
	if c.decode("gen_ai.system_instructions", &list) {
		c.parts("gen_ai.system_instructions", list)
	}
}

// decode decodes an attribute, and reports whether there is one with this form.
func (c *check) decode(key string, into any) bool {
	text, ok := c.values[key].(string)
	if !ok {
		return false
	}
	if err := json.Unmarshal([]byte(text), into); err != nil {
		c.add("%s: %v", key, err)
		return false
	}
	return true
}

func (c *check) parts(key string, list []map[string]any) {
	if len(list) == 0 {
		c.add("%s: a message without parts", key)
	}
	for _, p := range list {
		kind, _ := p["type"].(string)
		fields, ok := parts[kind]
		if !ok || key == "gen_ai.system_instructions" && kind != "text" {
			c.add("%s: a part of type %q", key, kind)
		}
		for _, field := range fields {
			if _, ok := p[field].(string); !ok {
				c.add("%s: a part %s without %s", key, kind, field)
			}
		}
	}
}
