package mcpclients

import (
	"path/filepath"
	"strings"
	"testing"
)

var server = Server{"/usr/bin/tapedeck", []string{"mcp", "--server", "https://td.example"}}

// Everything of a file but the server stays as it was, in its order.
func TestAddAndRemove(t *testing.T) {
	const entry = `"tapedeck":{"command":"/usr/bin/tapedeck","args":["mcp","--server","https://td.example"]}`
	const variablesLine = `env_vars = ["TAPEDECK_SERVER", "TAPEDECK_TOKEN", "TAPEDECK_TOKEN_FILE", "TAPEDECK_TENANT", "TAPEDECK_CA", "TAPEDECK_CLIENT_CERT", "TAPEDECK_CLIENT_KEY"]` + "\n"
	const table = "[mcp_servers.tapedeck]\ncommand = \"/usr/bin/tapedeck\"\nargs = [\"mcp\", \"--server\", \"https://td.example\"]\n" + variablesLine
	for name, tc := range map[string]struct{ client, before, after, removed string }{
		"no file": {"cursor", "", `{
  "mcpServers": {
    "tapedeck": {
      "command": "/usr/bin/tapedeck",
      "args": [
        "mcp",
        "--server",
        "https://td.example"
      ]
    }
  }
}
`, "{}\n"},
		"other servers and settings": {"claude", `{"z":1,"mcpServers":{"x":{"command":"x"}},"a":[1, 2]}`,
			`{"z":1,"mcpServers":{"x":{"command":"x"},` + entry + `},"a":[1, 2]}`, `{"z":1,"mcpServers":{"x":{"command":"x"}},"a":[1, 2]}`},
		"another command": {"claude", `{"mcpServers":{"tapedeck":{"command":"/old/tapedeck","args":["mcp"]},"x":{}}}`,
			`{"mcpServers":{` + entry + `,"x":{}}}`, `{"mcpServers":{"x":{}}}`},
		"another command, variables of a person": {"claude", `{"mcpServers":{"tapedeck":{"type":"stdio","command":"/old/tapedeck","args":["mcp"],"env":{"TAPEDECK_TOKEN":"td_x"}}}}`,
			`{"mcpServers":{"tapedeck":{"type":"stdio","command":"/usr/bin/tapedeck","args":["mcp","--server","https://td.example"],"env":{"TAPEDECK_TOKEN":"td_x"}}}}`, "{}"},
		"an address in place of a command": {"cursor", `{"mcpServers":{"tapedeck":{"url":"https://td.example/mcp"}}}`, `{"mcpServers":{` + entry + `}}`, "{}"},
		"TOML: variables and limits of a person": {"codex", "[mcp_servers.tapedeck] # mine\nstartup_timeout_sec = 20\nargs = [ # of mcp\n  \"]\", # x\n  \"mcp\",\n]\nenv_vars = [\"MINE\"]\ncommand = \"old\"\n",
			"[mcp_servers.tapedeck] # mine\n" + strings.TrimSuffix(strings.TrimPrefix(table, "[mcp_servers.tapedeck]\n"), variablesLine) + "startup_timeout_sec = 20\nenv_vars = [\"MINE\"]\n", ""},
		"TOML: no file":      {"codex", "", table, ""},
		"TOML: other tables": {"codex", "model = \"x\"\n\n[mcp_servers.other]\ncommand = \"y\"", "model = \"x\"\n\n[mcp_servers.other]\ncommand = \"y\"\n\n" + table, "model = \"x\"\n\n[mcp_servers.other]\ncommand = \"y\"\n"},
		"TOML: another command, between tables": {"codex", "[a]\nb = 1\n\n[mcp_servers.tapedeck]\ncommand = \"old\"\n\n[mcp_servers.tapedeck.env]\nX = \"[y]\"\n\n# of z\n[z]\nc = 2\n",
			"[a]\nb = 1\n\n" + table + "\n[mcp_servers.tapedeck.env]\nX = \"[y]\"\n\n# of z\n[z]\nc = 2\n", "[a]\nb = 1\n\n\n# of z\n[z]\nc = 2\n"},
		"TOML: a table in a string": {"codex", "notes = \"\"\"\n[mcp_servers.tapedeck]\n\"\"\"\n", "notes = \"\"\"\n[mcp_servers.tapedeck]\n\"\"\"\n\n" + table, "notes = \"\"\"\n[mcp_servers.tapedeck]\n\"\"\"\n"},
	} {
		c := find(t, tc.client)
		after, err := c.Add([]byte(tc.before), server)
		if err != nil || string(after) != tc.after {
			t.Errorf("%s: added: %v\n got %s\nwant %s", name, err, after, tc.after)
			continue
		}
		if again, err := c.Add(after, server); err != nil || string(again) != string(after) {
			t.Errorf("%s: added again: %v\n%s", name, err, again)
		}
		removed, had, err := c.Remove(after)
		if err != nil || !had || string(removed) != tc.removed {
			t.Errorf("%s: removed: %v %v\n got %q\nwant %q", name, had, err, removed, tc.removed)
		}
		if again, had, err := c.Remove(removed); err != nil || had || string(again) != string(removed) {
			t.Errorf("%s: removed again: %v %v\n%s", name, had, err, again)
		}
	}
}

// Files of other forms are left as they are.
func TestOtherForms(t *testing.T) {
	for client, texts := range map[string][]string{
		"claude": {"x", "[]", "null", `{"mcpServers":[]}`, `{"mcpServers":null}`, `{"a":1`},
		"codex": {"mcp_servers = { x = {} }", "mcp_servers.tapedeck.command = \"x\"", "[mcp_servers]\nx = {}", "[mcp_servers.\"tapedeck\"]\n", "a = \"\"\"\n",
			"\"mcp_servers\".x.command = 1"},
	} {
		for _, text := range texts {
			if changed, err := find(t, client).Add([]byte(text), server); err == nil {
				t.Errorf("%s: %q became %q", client, text, changed)
			}
			if changed, _, err := find(t, client).Remove([]byte(text)); err == nil {
				t.Errorf("%s: %q became %q", client, text, changed)
			}
		}
	}
}

func TestPath(t *testing.T) {
	home, moved := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("CLAUDE_CONFIG_DIR", "")
	t.Setenv("CODEX_HOME", "")
	for client, want := range map[string]string{"claude": ".claude.json", "codex": ".codex/config.toml", "cursor": ".cursor/mcp.json"} {
		if got, err := find(t, client).Path(); err != nil || got != filepath.Join(home, want) {
			t.Errorf("%s: %s, %v", client, got, err)
		}
	}
	t.Setenv("CLAUDE_CONFIG_DIR", moved)
	t.Setenv("CODEX_HOME", moved)
	for client, want := range map[string]string{"claude": ".claude.json", "codex": "config.toml"} {
		if got, err := find(t, client).Path(); err != nil || got != filepath.Join(moved, want) {
			t.Errorf("%s: %s, %v", client, got, err)
		}
	}
}

func find(t *testing.T, name string) *Client {
	t.Helper()
	for i := range Clients {
		if Clients[i].Name == name {
			return &Clients[i]
		}
	}
	t.Fatalf("there is no client %s", name)
	return nil
}
