package main

import "strings"

// shellWord quotes a word for a shell where it needs it.
func shellWord(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool {
		return !(r == '-' || r == '_' || r == '.' || r == '/' || r == ':' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z')
	}) {
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	return s
}

// sessionWord is the last argument of a command that a hint names: a session's id, which
// comes after "--" if it begins like a flag.
func sessionWord(id string) string {
	if strings.HasPrefix(id, "-") {
		return "-- " + shellWord(id)
	}
	return shellWord(id)
}

// fileWord is a file's name as an argument of a command that a hint names. A name that
// begins like a flag is written with its folder.
func fileWord(name string) string {
	if strings.HasPrefix(name, "-") {
		name = "./" + name
	}
	return shellWord(name)
}
