package main

import (
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"tapedeck/internal/app/command/agentsettings"
	"tapedeck/internal/app/command/mcpclients"
	"tapedeck/internal/commandline"
)

// mcpClient selects a client.
type mcpClient struct {
	Client string `arg:"" help:"claude, codex or cursor." enum:"claude,codex,cursor"`
}

func (m *mcpClient) find() *mcpclients.Client {
	i := slices.IndexFunc(mcpclients.Clients, func(c mcpclients.Client) bool { return c.Name == m.Client })
	return &mcpclients.Clients[i] // kong accepts no other name
}

type mcpInstall struct {
	mcpClient
	Print bool `help:"Print what would be added and where, and change nothing."`
}

// Run adds the server. Flags that name the server of recordings become part of its command.
func (c *mcpInstall) Run(i *invocation) error {
	client := c.find()
	server, err := mcpServer(i, client)
	if err != nil {
		return err
	}
	path, err := client.Path()
	if err != nil {
		return err
	}
	if c.Print {
		fmt.Printf("# to %s in %s\n%s\n", client.Place, path, strings.TrimSpace(string(client.Entry(server))))
		return nil
	}
	text, err := agentsettings.Read(path)
	if err != nil {
		return err
	}
	changed, err := client.Add(text, server)
	if err != nil {
		return notAdded(path, err)
	}
	if string(changed) == string(text) {
		fmt.Printf("%s has the server already\n", path)
		return nil
	}
	if err := agentsettings.Write(path, changed); err != nil {
		return err
	}
	fmt.Printf("%s has the tools from its next start on: server \"tapedeck\" in %s\n", client.Title, path)
	return nil
}

func notAdded(path string, err error) error {
	return fmt.Errorf("%s is left as it is: %w\nAdd the server by hand: --print shows it", path, err)
}

// mcpServer returns how a client starts the server. Settings of agents are no place for secrets, so
// the token stays in the environment or in a file.
func mcpServer(i *invocation, client *mcpclients.Client) (mcpclients.Server, error) {
	s := mcpclients.Server{Args: []string{"mcp"}}
	program, err := ownPath()
	if err != nil {
		return s, err
	}
	s.Command = program
	for _, arg := range i.args {
		name, _, _ := strings.Cut(arg, "=")
		value := ""
		switch name {
		case "--server":
			server, err := url.Parse(i.cli.Server)
			if err != nil || server.User != nil {
				return s, commandline.Errorf("--server: an address with a user or a password does not belong into the settings of a client")
			}
			value = i.cli.Server
		case "--token-file":
			if value, err = filepath.Abs(i.cli.TokenFile); err != nil {
				return s, fmt.Errorf("find the path of the token's file: %w", err)
			}
		case "--as-tenant":
			value = i.cli.AsTenant
		case "--token", "--ca", "--client-cert", "--client-key":
			return s, commandline.Errorf("%s is not kept in the settings of %s: name a token by --token-file, or set the variable of the flag in its environment, as \"tapedeck help flags\" names it", name, client.Title)
		}
		if value != "" {
			s.Args = append(s.Args, name, value)
		}
	}
	return s, nil
}

type mcpUninstall struct{ mcpClient }

// Run removes the server.
func (c *mcpUninstall) Run() error {
	client := c.find()
	path, err := client.Path()
	if err != nil {
		return err
	}
	text, err := agentsettings.Read(path)
	if err != nil {
		return err
	}
	changed, had, err := client.Remove(text)
	if err != nil {
		return fmt.Errorf("%s is left as it is: %w\nRemove the server by hand", path, err)
	}
	if !had {
		fmt.Printf("%s has no server of tapedeck\n", path)
		return nil
	}
	if err := agentsettings.Write(path, changed); err != nil {
		return err
	}
	fmt.Printf("removed the server from %s\n", path)
	return nil
}
