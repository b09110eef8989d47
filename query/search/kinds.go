package search

import (
	"slices"

	"tapedeck/schema"
)

// Kinds lists the kinds of texts that are searched: kinds of messages. The error of a span has the
// kind error too.
var Kinds = []schema.MessageKind{
	schema.MessageSystem, schema.MessageUser, schema.MessageAssistant, schema.MessageThinking, schema.MessageArguments,
	schema.MessageOutput, schema.MessageResult, schema.MessageReply, schema.MessageError,
}

// Role is the role of a text.
type Role string

// Roles.
const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
	Tool      Role = "tool"
)

// Roles lists all roles. Errors have no role.
var Roles = []Role{System, User, Assistant, Tool}

var roleOf = map[schema.MessageKind]Role{
	schema.MessageSystem: System, schema.MessageUser: User,
	schema.MessageAssistant: Assistant, schema.MessageThinking: Assistant,
	schema.MessageArguments: Assistant, schema.MessageReply: Assistant,
	schema.MessageOutput: Tool, schema.MessageResult: Tool,
}

// kindsOf returns the kinds that a query selects by kind and role; nil for all.
func kindsOf(kinds []schema.MessageKind, roles []Role) []string {
	if len(kinds) == 0 && len(roles) == 0 {
		return nil
	}
	list := []string{}
	for _, k := range Kinds {
		if (len(kinds) == 0 || slices.Contains(kinds, k)) && (len(roles) == 0 || slices.Contains(roles, roleOf[k])) {
			list = append(list, string(k))
		}
	}
	return list
}
