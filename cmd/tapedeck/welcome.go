package main

import (
	"fmt"
	"io"
	"os"

	"tapedeck/internal/console"
)

// welcome writes to a terminal how to go on with a server that is ready.
func welcome(w io.Writer, url string) {
	program := console.FileWord(os.Args[0])
	fmt.Fprintf(w, `
tapedeck is ready: open %s in a browser
your own agents:   %s sync        records what Claude Code, Codex and other agents keep here
stop:              Ctrl-C; the recordings stay
`, url, program)
}
