package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"

	"tapedeck/internal/console"
)

// streamingArguments are, for coding agents, the arguments with which they print a stream of events.
var streamingArguments = map[string]string{
	"claude": "-p PROMPT --output-format stream-json --verbose", "codex": "exec --json PROMPT",
	"gemini": "-p PROMPT --output-format stream-json", "opencode": "run --format json PROMPT",
}

// programAdvice returns what to type if the first argument of "tapedeck record" is not a file but a
// program, which stands after "--"; "" otherwise.
func programAdvice(sources []string) string {
	if len(sources) == 0 || strings.ContainsAny(sources[0], "*?[") || sources[0] == "-" {
		return ""
	}
	name := sources[0]
	if _, err := os.Lstat(name); err == nil {
		return ""
	}
	if advice := addressAdvice(name); advice != "" {
		return advice
	}
	arguments, agent := streamingArguments[name]
	if _, err := exec.LookPath(name); err != nil && !agent || strings.ContainsRune(name, os.PathSeparator) {
		return ""
	}
	if !agent {
		arguments = "…"
		if len(sources) > 1 {
			arguments = quotedWords(sources[1:])
		}
	}
	return fmt.Sprintf("%s is not a file here but a program. To record what it prints write: tapedeck record -- %s %s",
		name, name, arguments)
}

// addressAdvice returns how to record an address that was given as a file; "" for other names.
func addressAdvice(name string) string {
	scheme, _, found := strings.Cut(name, "://")
	if !found {
		return ""
	}
	var flags string
	switch scheme {
	case "http", "https":
		flags = "--sse " + name
	case "ws", "wss":
		flags = "--ws " + name
	case "nats", "tls":
		flags = "--nats " + name + " --nats-subject SUBJECT"
	default:
		return ""
	}
	return fmt.Sprintf("%s is not a file here but an address. To record what it sends write: tapedeck record %s", name, flags)
}

// quotedWords quotes words for a shell where that is necessary.
func quotedWords(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = console.ShellWord(w)
	}
	return strings.Join(quoted, " ")
}
