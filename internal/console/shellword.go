package console

import "strings"

// ShellWord quotes a word for a shell if necessary.
func ShellWord(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool {
		return !(r == '-' || r == '_' || r == '.' || r == '/' || r == ':' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z')
	}) {
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	return s
}

// SessionWord formats a session's id as the last argument of a command in a hint. If the id begins
// like a flag, "--" precedes it.
func SessionWord(id string) string {
	if strings.HasPrefix(id, "-") {
		return "-- " + ShellWord(id)
	}
	return ShellWord(id)
}

// FileWord formats a file's name as an argument of a command in a hint. A name that begins like a
// flag is prefixed with its folder.
func FileWord(name string) string {
	if strings.HasPrefix(name, "-") {
		name = "./" + name
	}
	return ShellWord(name)
}
