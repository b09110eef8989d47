package mcpclients

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/tailscale/hujson"

	"tapedeck/internal/app/command/agentsettings"
)

// jsonForm is a file of JSON with the servers in the object mcpServers.
type jsonForm struct{}

const servers = "mcpServers"

func (jsonForm) entry(s Server) []byte {
	text, err := json.Marshal(map[string]Server{name: s})
	if err != nil {
		panic(err) // it has only strings
	}
	return text
}

func (jsonForm) add(text []byte, s Server) ([]byte, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}\n")
	}
	known, err := serversOf(text)
	if err != nil {
		return nil, err
	}
	entry, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	var ops []agentsettings.Operation
	if known == nil {
		ops = append(ops, agentsettings.Operation{Op: "add", Path: "/" + servers, Value: json.RawMessage("{}")})
	}
	path := "/" + servers + "/" + name
	found, runs := commandIn(known[name])
	switch {
	case !runs:
		ops = append(ops, agentsettings.Operation{Op: "add", Path: path, Value: entry})
	case found.Command == s.Command && slices.Equal(found.Args, s.Args):
		return text, nil
	default:
		var members map[string]json.RawMessage
		if err := json.Unmarshal(entry, &members); err != nil {
			return nil, err
		}
		for _, member := range []string{"command", "args"} {
			ops = append(ops, agentsettings.Operation{Op: "add", Path: path + "/" + member, Value: members[member]})
		}
	}
	return agentsettings.Patch(text, ops)
}

func (jsonForm) remove(text []byte) ([]byte, bool, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return text, false, nil
	}
	known, err := serversOf(text)
	if err != nil {
		return nil, false, err
	}
	if _, has := known[name]; !has {
		return text, false, nil
	}
	path := "/" + servers + "/" + name
	if len(known) == 1 {
		path = "/" + servers
	}
	text, err = agentsettings.Patch(text, []agentsettings.Operation{{Op: "remove", Path: path}})
	return text, true, err
}

// serversOf returns the servers of a text by name, nil if it has none.
func serversOf(text []byte) (known map[string]json.RawMessage, err error) {
	standard, err := hujson.Standardize(bytes.Clone(text))
	if err != nil {
		return nil, fmt.Errorf("it is not JSON: %w", err)
	}
	var whole map[string]json.RawMessage
	if json.Unmarshal(standard, &whole) != nil || whole == nil {
		return nil, errors.New("it is not an object of JSON")
	}
	if of, has := whole[servers]; has && (json.Unmarshal(of, &known) != nil || known == nil) {
		return nil, fmt.Errorf("its member %q is not an object", servers)
	}
	return known, nil
}

// commandIn returns the command of an entry, and whether the entry starts a command. Its other
// members, such as env, are a person's.
func commandIn(entry json.RawMessage) (found Server, runs bool) {
	return found, json.Unmarshal(entry, &found) == nil && found.Command != ""
}
