package agenthooks

import (
	"strings"
	"testing"
)

var claude = &Agents[0]

const command = "/usr/bin/tapedeck hooks run claude"

// A file of hooks in which nothing is left was made for the hook. Other settings stay, also without members.
func TestEmpty(t *testing.T) {
	codex := &Agents[1]
	for _, tc := range []struct {
		agent *Agent
		text  string
		want  bool
	}{
		{codex, "{}\n", true}, {codex, "{ \"a\": 1 }", false}, {codex, "{\n// mine\n}", false}, {claude, "{}\n", false},
	} {
		if got := tc.agent.Empty([]byte(tc.text)); got != tc.want {
			t.Errorf("%s, %s: %v", tc.agent.Name, tc.text, got)
		}
	}
}

// Everything of a file but the hook stays as it was, in its order.
func TestAddAndRemove(t *testing.T) {
	const hook = `{"type":"command","command":"/usr/bin/tapedeck hooks run claude","timeout":10}`
	for name, tc := range map[string]struct{ before, after, removed string }{
		"no file": {"", `{
  "hooks": {
    "SessionEnd": [
      {
        "hooks": [
          {
            "type": "command",
            "command": "/usr/bin/tapedeck hooks run claude",
            "timeout": 10
          }
        ]
      }
    ]
  }
}
`, "{}\n"},
		"other settings on one line": {
			`{"z":1,"a":[1, 2],"hooks":{"Stop":[{"hooks":[{"type":"command","command":"say"}]}]}}`,
			`{"z":1,"a":[1, 2],"hooks":{"Stop":[{"hooks":[{"type":"command","command":"say"}]}],"SessionEnd":[{"hooks":[` + hook + `]}]}}`,
			`{"z":1,"a":[1, 2],"hooks":{"Stop":[{"hooks":[{"type":"command","command":"say"}]}]}}`,
		},
		"another hook of the event": {
			`{"hooks":{"SessionEnd":[{"matcher":"clear","hooks":[{"type":"command","command":"say"}]}]}}`,
			`{"hooks":{"SessionEnd":[{"matcher":"clear","hooks":[{"type":"command","command":"say"}]},{"hooks":[` + hook + `]}]}}`,
			`{"hooks":{"SessionEnd":[{"matcher":"clear","hooks":[{"type":"command","command":"say"}]}]}}`,
		},
		"an earlier path of the program, in a group with another": {
			`{"hooks":{"SessionEnd":[{"hooks":[{"type":"command","command":"/old/tapedeck hooks run claude"},{"type":"command","command":"say"}]}]}}`,
			`{"hooks":{"SessionEnd":[{"hooks":[{"type":"command","command":"say"}]},{"hooks":[` + hook + `]}]}}`,
			`{"hooks":{"SessionEnd":[{"hooks":[{"type":"command","command":"say"}]}]}}`,
		},
		"a comment": {
			"{\n  // mine\n  \"a\": 1\n}\n",
			"{\n  // mine\n  \"a\": 1,\"hooks\":{\"SessionEnd\":[{\"hooks\":[" + hook + "]}]}\n}\n",
			"{\n  // mine\n  \"a\": 1\n}\n",
		},
	} {
		after, err := claude.Add([]byte(tc.before), command)
		if err != nil || string(after) != tc.after {
			t.Errorf("%s: added: %v\n got %s\nwant %s", name, err, after, tc.after)
			continue
		}
		if again, err := claude.Add(after, command); err != nil || string(again) != string(after) {
			t.Errorf("%s: added twice: %v\n%s", name, err, again)
		}
		removed, had, err := claude.Remove(after)
		if err != nil || !had || string(removed) != tc.removed {
			t.Errorf("%s: removed: %v %v\n got %s\nwant %s", name, had, err, removed, tc.removed)
		}
		if again, had, err := claude.Remove(removed); err != nil || had || string(again) != string(removed) {
			t.Errorf("%s: removed twice: %v %v %s", name, had, err, again)
		}
	}
}

// Hooks of other programs stay, and ours is recognised with another path, a server or a redirection.
func TestOurs(t *testing.T) {
	for command, want := range map[string]bool{
		"/usr/bin/tapedeck hooks run claude":                        true,
		"tapedeck hooks run claude >/dev/null 2>&1":                 true,
		"'/home/a b/tapedeck' --server http://h:1 hooks run claude": true,
		"lefthook hooks run claude":                                 false,
		"/usr/bin/tapedeck hooks run codex":                         false,
		"/usr/bin/tapedeck-other hooks run claude":                  false,
		"echo tapedeck hooks run claude":                            false,
		"/usr/bin/tapedeck hooks run claude && rm -f x":             false,
	} {
		if got := claude.ours(command); got != want {
			t.Errorf("%s: %v", command, got)
		}
	}
	text := `{"hooks":{"SessionEnd":[{"hooks":[{"command":5},{"command":"/x/tapedeck hooks run claude"}]}]}}`
	if after, had, err := claude.Remove([]byte(text)); err != nil || !had || string(after) != `{"hooks":{"SessionEnd":[{"hooks":[{"command":5}]}]}}` {
		t.Errorf("%s, %v, %v", after, had, err)
	}
}

// A file of another form is refused.
func TestOtherForms(t *testing.T) {
	for text, want := range map[string]string{
		"{":                            "not JSON",
		"[]":                           "not an object",
		"null":                         "not an object",
		`{"hooks":[]}`:                 `"hooks" is not an object`,
		`{"hooks":null}`:               `"hooks" is not an object`,
		`{"hooks":{"SessionEnd":{}}}`:  "not a list of objects",
		`{"hooks":{"SessionEnd":[1]}}`: "not a list of objects",
	} {
		if got, err := claude.Add([]byte(text), command); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("add to %s: %v, %s", text, err, got)
		}
		if _, _, err := claude.Remove([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("remove from %s: %v", text, err)
		}
	}
}
