// Command tapedeck records the event streams of AI agents, plays them back and
// reports what they used. main wires; the work is in the packages.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/alecthomas/kong"

	"tapedeck/deploy/local/engine"
)

// version is set by the build.
var version = "dev"

// cli is the command line: a struct for each command, in a file of its own.
type cli struct {
	global

	Up       upCommand       `cmd:"" help:"Run everything in one process tree: NATS, ClickHouse, recorder, API and UI."`
	Serve    serveCommand    `cmd:"" help:"Run the same parts against real NATS and ClickHouse servers."`
	Record   recordCommand   `cmd:"" help:"Record a stream: a file, standard input, a command, an SSE or WebSocket URL."`
	Proxy    proxyCommand    `cmd:"" help:"Run a transparent proxy that records what passes."`
	Sessions sessionsCommand `cmd:"" help:"List sessions."`
	Show     showCommand     `cmd:"" help:"Show one session: runs, tools, tokens, messages."`
	Frames   framesCommand   `cmd:"" help:"List a session's frames."`
	Play     playCommand     `cmd:"" help:"Play a session at its original timing."`
	Usage    usageCommand    `cmd:"" help:"Report token usage."`
	Tools    toolsCommand    `cmd:"" help:"Report tool calls: counts, errors, latencies."`
	Migrate  migrateCommand  `cmd:"" help:"Bring ClickHouse's tables up to date."`
	Doctor   doctorCommand   `cmd:"" help:"Check the installation and say what is wrong and what to do."`
	Bench    benchCommand    `cmd:"" help:"Measure this program on this machine."`
	Version  versionCommand  `cmd:"" help:"Print the version."`
}

// global holds the flags that every command takes.
type global struct {
	Server string `help:"The tapedeck server." default:"http://127.0.0.1:4600" env:"TAPEDECK_SERVER" placeholder:"URL"`
	Token  string `help:"Token to show to the server." env:"TAPEDECK_TOKEN" placeholder:"TOKEN"`
	JSON   bool   `help:"Print machine-readable output." name:"json"`
}

const (
	exitFailed = 1
	exitUsage  = 2
)

// exitCode is an error that only says how the process is to exit: all there was
// to say was said.
type exitCode int

func (e exitCode) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

func main() {
	engine.RunIfChild()
	os.Exit(run(os.Args[1:]))
}

func run(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()

	var c cli
	parser := kong.Must(&c, kong.Name("tapedeck"), kong.UsageOnError(),
		kong.Description("Record agent streams, play them back at their original timing, see what they used."),
		kong.BindTo(ctx, (*context.Context)(nil)), kong.Bind(&c.global),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}))
	// What stands after "--" is a command to record, flags and all.
	if i := slices.Index(args, "--"); i >= 0 && slices.Contains(args[:i], "record") {
		c.Record.command = args[i+1:]
		args = args[:i]
	}
	parsed, err := parser.Parse(args)
	if err != nil {
		fmt.Fprintf(os.Stderr, "tapedeck: %v\nRun \"tapedeck --help\" for the commands and their flags.\n", err)
		return exitUsage
	}
	err = parsed.Run()
	var code exitCode
	var usage usageError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &code):
		return int(code)
	case errors.As(err, &usage):
		fmt.Fprintf(os.Stderr, "tapedeck: %v\n", err)
		return exitUsage
	}
	fmt.Fprintf(os.Stderr, "tapedeck: %v\n", err)
	return exitFailed
}

// usageError is an error in how the command was called.
type usageError struct{ error }

func badUsage(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }
