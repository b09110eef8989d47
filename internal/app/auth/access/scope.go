package access

import (
	"fmt"
	"slices"
	"strings"
)

// Scope is a right that a token has in its tenant.
type Scope string

// The scopes. ReadRaw includes Read; Admin includes all others.
const (
	Record  Scope = "record"   // send recordings
	Read    Scope = "read"     // lists, facts, messages, reports
	ReadRaw Scope = "read:raw" // frames as recorded: replay, tapes, emulation
	Note    Scope = "note"     // write notes
	Bill    Scope = "bill"     // bills and reconciliation
	Admin   Scope = "admin"    // tokens, deletion, dead letters, decoding again
)

// Scopes lists all scopes.
var Scopes = []Scope{Record, Read, ReadRaw, Note, Bill, Admin}

// includes reports whether a scope includes the right of another.
func (s Scope) includes(other Scope) bool {
	return s == other || s == Admin || s == ReadRaw && other == Read
}

// ScopeNames returns the names of scopes.
func ScopeNames(list []Scope) []string {
	names := make([]string, len(list))
	for i, s := range list {
		names[i] = string(s)
	}
	return names
}

// CheckScopes refuses an empty list and unknown scopes.
func CheckScopes(list []Scope) error {
	known := strings.Join(ScopeNames(Scopes), ", ")
	if len(list) == 0 {
		return fmt.Errorf("a scope is needed: %s", known)
	}
	for _, s := range list {
		if !slices.Contains(Scopes, s) {
			return fmt.Errorf("there is no scope %q; the scopes are %s", s, known)
		}
	}
	return nil
}
