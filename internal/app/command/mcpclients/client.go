// Package mcpclients adds the MCP server of tapedeck to the settings of clients of the Model Context
// Protocol, and removes it.
package mcpclients

import (
	"fmt"
	"os"
	"path/filepath"
)

// name is the name of the server in the settings of clients.
const name = "tapedeck"

// Server is how a client starts the server.
type Server struct {
	Command string   `json:"command"`
	Args    []string `json:"args"`
}

// variables are the variables of the environment that the server reads and that have no place in
// settings: a token, and files of this machine.
var variables = []string{
	"TAPEDECK_SERVER", "TAPEDECK_TOKEN", "TAPEDECK_TOKEN_FILE", "TAPEDECK_TENANT", "TAPEDECK_CA",
	"TAPEDECK_CLIENT_CERT", "TAPEDECK_CLIENT_KEY",
}

// form is the form of a file with settings.
type form interface {
	entry(s Server) []byte
	add(text []byte, s Server) ([]byte, error)
	remove(text []byte) (changed []byte, had bool, err error)
}

// Client is a client of the protocol.
type Client struct {
	Name  string // of the command line
	Title string
	Place string // where in its file servers are
	moved string // environment variable with another folder; "" if it has none
	dir   string // below the home folder
	file  string
	form
}

// Clients are the known clients. Claude Code keeps the servers of a user in .claude.json, Codex in
// config.toml, Cursor in mcp.json (code.claude.com/docs/en/mcp, developers.openai.com/codex/mcp,
// cursor.com/docs/context/mcp).
var Clients = []Client{
	{"claude", "Claude Code", "the object mcpServers", "CLAUDE_CONFIG_DIR", "", ".claude.json", jsonForm{}},
	{"codex", "Codex", "the tables mcp_servers", "CODEX_HOME", ".codex", "config.toml", tomlForm{}},
	{"cursor", "Cursor", "the object mcpServers", "", ".cursor", "mcp.json", jsonForm{}},
}

// Path returns the path of the client's file with servers.
func (c *Client) Path() (string, error) {
	if c.moved != "" {
		if dir := os.Getenv(c.moved); dir != "" {
			return filepath.Join(dir, c.file), nil
		}
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("find the settings of %s: %w; set HOME", c.Title, err)
	}
	return filepath.Join(home, c.dir, c.file), nil
}

// Entry returns the text that is added to the client's file.
func (c *Client) Entry(s Server) []byte { return c.entry(s) }

// Add returns the text of the client's file with the server. Everything else of the text stays as it
// is. A text that has the server is returned unchanged.
func (c *Client) Add(text []byte, s Server) ([]byte, error) { return c.add(text, s) }

// Remove returns the text of the client's file without the server, and whether it had it.
func (c *Client) Remove(text []byte) ([]byte, bool, error) { return c.remove(text) }
