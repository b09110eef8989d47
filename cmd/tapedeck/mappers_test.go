package main

import (
	"strings"
	"testing"
)

// Values that cannot be read are refused by errors that say what a value must be.
func TestMappers(t *testing.T) {
	for line, want := range map[string]string{
		"sessions --json=perhaps":      `--json: it is a switch, without a value such as "perhaps"`,
		"sessions --limit":             "--limit: its value is missing: it must be a whole number",
		"sessions --limit many":        `--limit: it must be a whole number, not "many"`,
		"sessions --min-duration soon": `--min-duration: it must be a time with a unit, like 30s, not "soon"`,
		"config":                       `name one of "print", "check"`,
		"sesions":                      `there is no command "sesions", did you mean "sessions"?`,
		"--limit 3":                    "unknown flag --limit",
		"--verson":                     `unknown flag --verson, did you mean "--version"?`,
		"sync lst":                     `there is no command "sync lst", did you mean "sync list"?`,
		"prices lst":                   `there is no command "prices lst", did you mean "prices list"?`,
		"prices something":             "unexpected argument something",
		"sessions --config x":          "there is no flag --config here",
	} {
		_, err := parseInvocation(t.Context(), strings.Fields(line))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("tapedeck %s: %v, want %s", line, err, want)
		}
	}
	i, err := parseInvocation(t.Context(), strings.Fields("sessions --json=no --limit 0x10 --min-duration 1m30s"))
	if err != nil || i.cli.JSON || i.cli.Sessions.Limit != 16 || i.cli.Sessions.MinDuration.Seconds() != 90 {
		t.Errorf("%v, %+v", err, i.cli.Sessions)
	}
}
