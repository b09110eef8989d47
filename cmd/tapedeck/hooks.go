package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tapedeck/ingest/delivery/outlet"
	"tapedeck/ingest/tap/agenthistory"
	"tapedeck/internal/app/command/agenthooks"
	"tapedeck/internal/app/command/agentsettings"
	"tapedeck/internal/app/command/background"
	"tapedeck/internal/backoff"
	"tapedeck/internal/commandline"
	"tapedeck/internal/console"
)

// hooksCommand connects coding agents with tapedeck.
type hooksCommand struct {
	Install   hooksInstall   `cmd:"" help:"Let an agent record each session when it ends."`
	Uninstall hooksUninstall `cmd:"" help:"Remove what install added."`
	Run       hooksRun       `cmd:"" hidden:"" help:"Record the session that ended. Agents run it."`
}

// Help implements kong.HelpProvider.
func (c *hooksCommand) Help() string {
	return `The hook runs when a session of Claude Code or Codex ends, and leaves at once. In the background "tapedeck sync" records the session and tags it with repository, branch and commit. The server may be away: then the agent is not disturbed, and the next "tapedeck sync" records the session.

"tapedeck statusline" prints a status line for Claude Code; its --help says how it is set up.`
}

// hookAgent selects an agent.
type hookAgent struct {
	Agent string `arg:"" help:"claude or codex." enum:"claude,codex"`
}

func (h *hookAgent) find() *agenthooks.Agent {
	i := slices.IndexFunc(agenthooks.Agents, func(a agenthooks.Agent) bool { return a.Name == h.Agent })
	return &agenthooks.Agents[i] // kong accepts no other name
}

type hooksInstall struct {
	hookAgent
	Print bool `help:"Print what would be added and where, and change nothing."`
}

// Run adds the hook. A server that is named on the command line becomes part of the hook's command.
func (c *hooksInstall) Run(i *invocation) error {
	a := c.find()
	command, err := hookCommand(i, a)
	if err != nil {
		return err
	}
	path, err := a.Path()
	if err != nil {
		return err
	}
	if c.Print {
		fmt.Printf("# to the list hooks.SessionEnd in %s\n%s\n", path, a.Entry(command))
		return nil
	}
	text, err := agentsettings.Read(path)
	if err != nil {
		return err
	}
	changed, err := a.Add(text, command)
	if err != nil {
		return notChanged(path, err)
	}
	if string(changed) == string(text) {
		fmt.Printf("%s has the hook already\n", path)
		return nil
	}
	if err := agentsettings.Write(path, changed); err != nil {
		return err
	}
	fmt.Printf("%s records each session when it ends, from the next start on: hook in %s\n", a.Title, path)
	if a.Name == "codex" {
		fmt.Println("Codex 0.146 or later runs it once you have trusted it: enter /hooks in Codex")
	}
	return nil
}

func notChanged(path string, err error) error {
	return fmt.Errorf("%s is left as it is: %w\nAdd the hook by hand: --print shows it", path, err)
}

// hookCommand returns the command line of a hook.
func hookCommand(i *invocation, a *agenthooks.Agent) (string, error) {
	program, err := ownPath()
	if err != nil {
		return "", err
	}
	line := console.ShellWord(program)
	for _, arg := range i.args {
		name, _, _ := strings.Cut(arg, "=")
		switch name {
		case "--server":
			server, err := url.Parse(i.cli.Server)
			if err != nil || server.User != nil {
				return "", commandline.Errorf("--server: an address with a user or a password does not belong into the settings of an agent")
			}
			line += " --server " + console.ShellWord(i.cli.Server)
		case "--token", "--token-file", "--ca", "--client-cert", "--client-key", "--as-tenant", "--record-server":
			return "", commandline.Errorf("%s is not kept for the hook: set its variable in the environment of %s, as \"tapedeck help flags\" names it", name, a.Title)
		}
	}
	return line + " hooks run " + a.Name, nil
}

// ownPath returns the path by which this program is found: the one in PATH, which stays equal through updates, if it
// is this program.
func ownPath() (string, error) {
	own, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find the path of this program: %w", err)
	}
	found, err := exec.LookPath("tapedeck")
	if err != nil {
		return own, nil
	}
	if found, err = filepath.Abs(found); err != nil {
		return own, nil
	}
	a, first := os.Stat(own)
	b, second := os.Stat(found)
	if errors.Join(first, second) == nil && os.SameFile(a, b) {
		return found, nil
	}
	return own, nil
}

type hooksUninstall struct {
	hookAgent
	Print bool `help:"Print what would be written, and change nothing."`
}

// Run removes the hook.
func (c *hooksUninstall) Run() error {
	a := c.find()
	path, err := a.Path()
	if err != nil {
		return err
	}
	text, err := agentsettings.Read(path)
	if err != nil {
		return err
	}
	changed, had, err := a.Remove(text)
	if err != nil {
		return fmt.Errorf("%s is left as it is: %w\nRemove the hook by hand", path, err)
	}
	if !had {
		fmt.Printf("%s has no hook of tapedeck\n", path)
		return nil
	}
	empty := a.Empty(changed)
	switch {
	case c.Print && empty:
		fmt.Printf("# %s would be removed, as nothing else is in it\n", path)
		return nil
	case c.Print:
		fmt.Printf("# %s without the hook\n%s", path, changed)
		return nil
	case empty:
		err = agentsettings.Remove(path)
	default:
		err = agentsettings.Write(path, changed)
	}
	if err != nil {
		return err
	}
	fmt.Printf("removed the hook from %s\n", path)
	return nil
}

// hooksRun records the session that ended. The agent starts it without flags; it then starts itself
// with them in the background.
type hooksRun struct {
	hookAgent
	Session string `hidden:""`
	Folder  string `hidden:""` // in which the agent worked
}

// Run ends with exit code 0 once it runs, whatever happens: an agent must not be disturbed. Errors
// are in the log of hooks.
func (c *hooksRun) Run(ctx context.Context, g *global) error {
	if c.Session != "" {
		return c.record(ctx, g)
	}
	if console.IsTerminal(os.Stdin) {
		return commandline.Errorf("standard input is a terminal: %s runs this command, see \"tapedeck hooks --help\"", c.find().Title)
	}
	home, err := outlet.SyncHome()
	if err != nil {
		return nil // there is no place for a log either
	}
	log := filepath.Join(filepath.Dir(home), "hooks.log")
	if err := c.start(g, log); err != nil {
		_ = background.Log(log, fmt.Sprintf("%s hooks run %s: %v", time.Now().Format(time.RFC3339), c.Agent, err))
	}
	return nil
}

func (c *hooksRun) start(g *global, log string) error {
	ended, err := agenthooks.ReadEnded(os.Stdin)
	if err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	// The address may have a password, which others could read in a list of processes.
	return background.Start(log, program, []string{"TAPEDECK_SERVER=" + g.Server}, []string{
		"hooks", "run", c.Agent, "--session=" + ended.Session, "--folder=" + ended.Folder,
	})
}

// hookTimeout is how long the process in the background tries at most: another sync may be running.
const hookTimeout = 10 * time.Minute

// record records a session with tags of its folder.
func (c *hooksRun) record(ctx context.Context, g *global) error {
	ctx, cancel := context.WithTimeout(ctx, hookTimeout)
	defer cancel()
	fmt.Fprintf(console.To(os.Stderr), "%s session %s of %s has ended\n", time.Now().Format(time.RFC3339), console.Visible(c.Session, ""), c.find().Title)
	args := []string{"sync", "--session=" + c.Session}
	tags := agenthooks.Tags(ctx, c.Folder)
	for _, name := range slices.Sorted(maps.Keys(tags)) {
		args = append(args, "--tag="+name+"="+tags[name])
	}
	i, err := parseInvocation(ctx, args)
	if err != nil {
		return err
	}
	pause := backoff.Backoff{Min: time.Second, Max: 10 * time.Second}
	for {
		err := i.cli.Sync.Record.Run(ctx, &i.cli.global)
		if _, locked := errors.AsType[*agenthistory.LockedError](err); !locked || !backoff.Sleep(ctx, pause.Next()) {
			return err
		}
	}
}
