// Package agenthooks adds the hooks to the settings of coding agents by which "tapedeck sync"
// records a session when it ends, and does what such a hook asks for.
package agenthooks

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"tapedeck/internal/app/command/agentsettings"
)

// event is the hook of both agents for the end of a session.
const event = "SessionEnd"

// Agent is a coding agent with hooks.
type Agent struct {
	Name    string // of the command line
	Title   string
	folder  string // below the home folder
	moved   string // environment variable with another folder
	file    string
	timeout int // seconds for which the agent waits for the hook
	own     *regexp.Regexp
}

// Agents are the coding agents with hooks. Both read the same form: {"hooks": {EVENT: [{"hooks":
// [{"type": "command", …}]}]}} (code.claude.com/docs/en/hooks, developers.openai.com/codex/hooks).
// Codex waits for at most 3 seconds.
var Agents = []Agent{
	{Name: "claude", Title: "Claude Code", folder: ".claude", moved: "CLAUDE_CONFIG_DIR", file: "settings.json", timeout: 10, own: ownCommand("claude")},
	{Name: "codex", Title: "Codex", folder: ".codex", moved: "CODEX_HOME", file: "hooks.json", timeout: 3, own: ownCommand("codex")},
}

// Path returns the path of the agent's file with hooks.
func (a *Agent) Path() (string, error) {
	if dir := os.Getenv(a.moved); dir != "" {
		return filepath.Join(dir, a.file), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("find the settings of %s: %w; set HOME, or %s", a.Title, err, a.moved)
	}
	return filepath.Join(home, a.folder, a.file), nil
}

// hook is the command of a hook.
type hook struct {
	Type    string `json:"type"`
	Command string `json:"command"`
	Timeout int    `json:"timeout"`
}

// group is a list of hooks that an agent runs for an event.
type group struct {
	Hooks []hook `json:"hooks"`
}

// Entry returns the JSON text that is added to the groups of the event.
func (a *Agent) Entry(command string) []byte {
	text, err := json.Marshal(group{[]hook{{"command", command, a.timeout}}})
	if err != nil {
		panic(err) // it has only strings and a number
	}
	return text
}

// ours reports whether a command is one that Install wrote, for any path and server.
func (a *Agent) ours(command string) bool {
	return a.own.MatchString(command)
}

// ownCommand matches the commands of hooks for an agent. A person may have added a redirection.
func ownCommand(agent string) *regexp.Regexp {
	name := "tapedeck"
	if own, err := os.Executable(); err == nil {
		name = "(" + name + "|" + regexp.QuoteMeta(filepath.Base(own)) + ")" // it may have been renamed
	}
	return regexp.MustCompile(`^('[^']*/` + name + `'|\S*/` + name + `|` + name + `)( --server \S+)? hooks run ` + agent + `( *[0-9]*[<>].*)?$`)
}

// Add returns the text of an agent's file with the hook. Everything else of the text stays as it
// is. A text that has the hook is returned unchanged.
func (a *Agent) Add(text []byte, command string) ([]byte, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}\n")
	}
	hooks, groups, err := a.parse(text)
	if err != nil {
		return nil, err
	}
	if len(groups) > 0 && a.has(groups, command) {
		return text, nil
	}
	var ops []agentsettings.Operation
	if hooks == nil {
		ops = append(ops, agentsettings.Operation{Op: "add", Path: "/hooks", Value: json.RawMessage("{}")})
	}
	if _, known := hooks[event]; !known {
		ops = append(ops, agentsettings.Operation{Op: "add", Path: "/hooks/" + event, Value: json.RawMessage("[]")})
	}
	ops = append(append(ops, a.removals(groups)...), agentsettings.Operation{Op: "add", Path: "/hooks/" + event + "/-", Value: a.Entry(command)})
	return agentsettings.Patch(text, ops)
}

// Remove returns the text of an agent's file without the hook, and whether it had it.
func (a *Agent) Remove(text []byte) ([]byte, bool, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return text, false, nil
	}
	hooks, groups, err := a.parse(text)
	if err != nil {
		return nil, false, err
	}
	ops := a.removals(groups)
	if len(ops) == 0 {
		return text, false, nil
	}
	whole := 0
	for _, op := range ops {
		if strings.Count(op.Path, "/") == strings.Count("/hooks/E/0", "/") {
			whole++
		}
	}
	switch {
	case whole < len(groups):
	case len(hooks) == 1:
		ops = []agentsettings.Operation{{Op: "remove", Path: "/hooks"}}
	default:
		ops = []agentsettings.Operation{{Op: "remove", Path: "/hooks/" + event}}
	}
	text, err = agentsettings.Patch(text, ops)
	return text, true, err
}

// Empty reports whether a text without the hook has nothing else in it, and the file has only hooks:
// then Add made it.
func (a *Agent) Empty(text []byte) bool {
	return a.file == "hooks.json" && string(bytes.TrimSpace(text)) == "{}"
}

// parse returns the hooks of a text by event, nil if it has none, and the groups of the event.
func (a *Agent) parse(text []byte) (hooks map[string]json.RawMessage, groups []map[string]json.RawMessage, err error) {
	standard, err := hujson.Standardize(bytes.Clone(text))
	if err != nil {
		return nil, nil, fmt.Errorf("it is not JSON: %w", err)
	}
	var whole map[string]json.RawMessage
	if json.Unmarshal(standard, &whole) != nil || whole == nil {
		return nil, nil, errors.New("it is not an object of JSON")
	}
	if of, has := whole["hooks"]; has && (json.Unmarshal(of, &hooks) != nil || hooks == nil) {
		return nil, nil, errors.New(`its member "hooks" is not an object`)
	}
	if of, has := hooks[event]; has && (json.Unmarshal(of, &groups) != nil || groups == nil) {
		return nil, nil, fmt.Errorf("its hooks for %s are not a list of objects", event)
	}
	return hooks, groups, nil
}

// commands returns the commands of a group's hooks.
func commands(g map[string]json.RawMessage) []string {
	var list []json.RawMessage
	if json.Unmarshal(g["hooks"], &list) != nil {
		return nil // a group of another form is none of ours
	}
	found := make([]string, len(list))
	for i, text := range list {
		var h struct {
			Command string `json:"command"`
		}
		if json.Unmarshal(text, &h) == nil { // otherwise it is none of ours
			found[i] = h.Command
		}
	}
	return found
}

// has reports whether the command is the only one of ours in the groups.
func (a *Agent) has(groups []map[string]json.RawMessage, command string) bool {
	var found []string
	for _, g := range groups {
		found = append(found, slices.DeleteFunc(commands(g), func(c string) bool { return !a.ours(c) })...)
	}
	return len(found) == 1 && found[0] == command
}

// removals returns the operations that remove our hooks, the last one first, so that no index
// changes before it is used. A group without other hooks is removed whole.
func (a *Agent) removals(groups []map[string]json.RawMessage) []agentsettings.Operation {
	var ops []agentsettings.Operation
	for i, g := range slices.Backward(groups) {
		list := commands(g)
		ours := slices.DeleteFunc(slices.Clone(list), func(c string) bool { return !a.ours(c) })
		path := fmt.Sprintf("/hooks/%s/%d", event, i)
		if len(ours) > 0 && len(ours) == len(list) {
			ops = append(ops, agentsettings.Operation{Op: "remove", Path: path})
			continue
		}
		for j, c := range slices.Backward(list) {
			if a.ours(c) {
				ops = append(ops, agentsettings.Operation{Op: "remove", Path: fmt.Sprintf("%s/hooks/%d", path, j)})
			}
		}
	}
	return ops
}
