package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"

	"tapedeck/internal/apiclient"
	"tapedeck/internal/commandline"
	"tapedeck/internal/console"
)

// failure is an error as commands with --json write it to standard error, in one line.
type failure struct {
	Error    string           `json:"error"`             // what a person reads without --json
	ExitCode int              `json:"exit_code"`         // of the process
	Problem  *apiclient.Error `json:"problem,omitempty"` // the server's answer, if it refused the request
}

// reportFailure writes the error of a command and returns the exit code: 2 if the command was called
// with something invalid, otherwise 1.
func reportFailure(w io.Writer, err error, asJSON bool) int {
	f := failure{Error: err.Error(), ExitCode: exitFailed}
	if refused, ok := errors.AsType[*apiclient.Error](err); ok {
		f.Problem = refused
	}
	_, usage := errors.AsType[commandline.Error](err)
	if usage || f.Problem != nil && f.Problem.Status == http.StatusBadRequest { // a parameter is invalid
		f.ExitCode = exitUsage
	}
	if !asJSON {
		fmt.Fprintf(console.To(w), "tapedeck: %v\n", err)
		return f.ExitCode
	}
	// Encoding a struct of texts does not fail, and an error of standard error cannot be reported.
	_ = json.NewEncoder(w).Encode(&f)
	return f.ExitCode
}

// wantsJSON reports whether a command line asks for JSON. The arguments after "--" are those of a
// recorded command.
func wantsJSON(args []string) bool {
	if i := slices.Index(args, "--"); i >= 0 {
		args = args[:i]
	}
	return slices.Contains(args, "--json")
}
