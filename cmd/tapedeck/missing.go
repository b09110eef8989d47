package main

import (
	"fmt"
	"net/url"
	"os"
	"strings"
	"tapedeck/internal/console"
)

// hintForMissing says what to do where the server has no session that a path
// names: its name may be that of a file.
func hintForMissing(path string) string {
	segment, _, _ := strings.Cut(strings.TrimPrefix(path, "v1/sessions/"), "/")
	name, err := url.PathUnescape(segment)
	if err != nil {
		name = segment
	}
	info, err := os.Stat(name)
	switch {
	case err != nil || !info.Mode().IsRegular():
		return "\"tapedeck sessions\" lists those there are."
	case isTape(name):
		return fmt.Sprintf("It is a tape file here: \"tapedeck import %s\" brings its sessions to the server.", console.FileWord(name))
	}
	return fmt.Sprintf("It is a file here and no tape: \"tapedeck record %s\" records it, and says what the session is called.", console.FileWord(name))
}
