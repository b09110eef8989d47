package main

import (
	"cmp"
	"fmt"
	"net/url"
	"os"
	"strings"

	"tapedeck/internal/app/command/play"
	"tapedeck/internal/console"
)

// hintForMissing returns what to do if the server answers a path with 404. The argument that names
// a session may be the name of a file.
func hintForMissing(path string) string {
	if strings.HasPrefix(path, "v1/dead-letters") {
		return "\"tapedeck dead-letters list\" lists those there are."
	}
	if path == "v1/erasures" {
		return "If blocks of it are still in a spool, --unknown erases it all the same: what was recorded of it before is refused when it arrives."
	}
	if strings.HasPrefix(path, "v1/erasures/") {
		return "\"tapedeck erase --list\" lists those there are."
	}
	if strings.HasPrefix(path, "v1/bills/") {
		return "\"tapedeck bills list\" lists those there are, by their numbers."
	}
	if path == "v1/compare" {
		return "\"tapedeck sessions\" lists those there are."
	}
	rest, ok := strings.CutPrefix(path, "v1/sessions/")
	if !ok {
		return ""
	}
	if strings.Contains(rest, "/notes/") {
		return "\"tapedeck notes\" lists those there are."
	}
	segment, _, _ := strings.Cut(rest, "/")
	name, err := url.PathUnescape(segment)
	if err != nil {
		name = segment
	}
	return cmp.Or(fileHint(name), "\"tapedeck sessions\" lists those there are.")
}

// fileHint returns what to do about a session that is a file here; "" for no file.
func fileHint(name string) string {
	info, err := os.Stat(name)
	switch {
	case err != nil || !info.Mode().IsRegular():
		return ""
	case play.IsTape(name):
		return fmt.Sprintf("It is a tape file here: \"tapedeck import %s\" brings its sessions to the server.",
			console.FileWord(name))
	}
	return fmt.Sprintf("It is a file here and no tape: \"tapedeck record %s\" records it, and says what the session is called.", console.FileWord(name))
}
